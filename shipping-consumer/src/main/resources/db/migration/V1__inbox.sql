-- The ids of the events that this service has seen. The first statement of every batch inserts here, and only what the insert
-- returns is applied, in the same transaction: an effect exists exactly when its id does.
-- The row is written once. Only an outcome other than "applied" costs an update, because it is rare.
CREATE TABLE processed_events (
    event_id     uuid        NOT NULL,
    outcome      text        NOT NULL DEFAULT 'applied',
    processed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT processed_events_pkey PRIMARY KEY (event_id),
    CONSTRAINT processed_events_outcome CHECK (outcome IN ('applied', 'stale', 'ignored', 'held', 'parked', 'discarded'))
);

-- Records that could not be applied. "held": an earlier event of the same subject is missing; it goes when that one comes.
-- "parked": it waits for a person. "settled" (after a retry) and "discarded": what became of it, kept for the audit.
-- The record is kept as it came, byte by byte: a person must be able to read it, and a retry must be able to parse it again.
-- Everything that was parsed from it may be missing, because the record may be anything.
CREATE TABLE inbox_hold (
    hold_id       bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    state         text        NOT NULL,
    reason_code   text        NOT NULL,
    reason        text        NOT NULL,
    event_id      uuid,
    event_type    text,
    subject       text COLLATE "C",
    sequence      bigint,
    topic         text        NOT NULL,
    partition     integer     NOT NULL,
    record_offset bigint      NOT NULL,
    record_key    bytea,
    record_value  bytea,
    header_names  text[]      NOT NULL,
    header_values bytea[]     NOT NULL,
    fingerprint   bytea       NOT NULL,
    held_at       timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inbox_hold_pkey PRIMARY KEY (hold_id),
    CONSTRAINT inbox_hold_state CHECK (state IN ('held', 'parked', 'settled', 'discarded')),
    -- A held one is found by its subject and applied by its sequence.
    CONSTRAINT inbox_hold_held_is_readable
        CHECK (state <> 'held' OR (event_id IS NOT NULL AND subject IS NOT NULL AND sequence IS NOT NULL)),
    -- A record without an id has no other identity than its place. The fingerprint belongs to it, because a topic that is
    -- deleted and created again starts at offset 0.
    CONSTRAINT inbox_hold_one_per_record UNIQUE (topic, partition, record_offset, fingerprint)
);

CREATE INDEX inbox_hold_held_by_subject ON inbox_hold (subject, sequence) WHERE state = 'held';
CREATE INDEX inbox_hold_listed_by_state ON inbox_hold (state, hold_id);

-- What people did to records on hold: who, when, why, and what came of it. Written in the transaction of the deed, never changed.
CREATE TABLE inbox_action (
    action_id bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    hold_id   bigint,
    subject   text COLLATE "C",
    action    text        NOT NULL,
    who       text        NOT NULL,
    why       text        NOT NULL,
    outcome   text        NOT NULL,
    acted_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inbox_action_pkey PRIMARY KEY (action_id),
    CONSTRAINT inbox_action_action CHECK (action IN ('retry', 'discard', 'release'))
);

CREATE INDEX inbox_action_of_hold ON inbox_action (hold_id, action_id);
