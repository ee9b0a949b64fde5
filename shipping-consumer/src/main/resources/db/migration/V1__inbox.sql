-- The ids of the events that this service has seen. The first statement of every batch inserts here, and only what the insert
-- returns is applied, in the same transaction: an effect exists exactly when its id does.
-- The row is written once. Only an outcome other than "applied" costs an update, because it is rare.
-- Ids are UUIDv7, so the order of ids is the order of time: partitioned by id, a day each, the key is still the id alone, and
-- forgetting a day is a DROP. What has no day (other versions of UUIDs, very old or early ones) is in the rest and is kept.
CREATE TABLE processed_events (
    event_id     uuid        NOT NULL,
    outcome      text        NOT NULL DEFAULT 'applied',
    processed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT processed_events_pkey PRIMARY KEY (event_id),
    CONSTRAINT processed_events_outcome CHECK (outcome IN ('applied', 'stale', 'ignored', 'held', 'parked', 'discarded'))
) PARTITION BY RANGE (event_id);

CREATE TABLE processed_events_rest PARTITION OF processed_events DEFAULT;

-- How far the memory reaches: what is older may have been seen and forgotten. NULL: nothing was ever forgotten.
CREATE TABLE inbox_horizon (
    only_row         boolean     NOT NULL DEFAULT true,
    forgotten_before timestamptz,
    CONSTRAINT inbox_horizon_pkey PRIMARY KEY (only_row),
    CONSTRAINT inbox_horizon_one_row CHECK (only_row)
);

INSERT INTO inbox_horizon DEFAULT VALUES;

-- The smallest id of a moment.
CREATE FUNCTION inbox_first_id(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes the partitions of today and some days to come. Runs with the rights of the owner, so that the service itself needs none
-- for changing tables. A day whose ids are in the rest already stays there.
CREATE FUNCTION inbox_make_partitions(days_ahead integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET search_path FROM CURRENT AS $$
DECLARE
    day date;
    made integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('inbox_partitions'));
    FOR ahead IN 0 .. days_ahead LOOP
        day := (now() AT TIME ZONE 'UTC')::date + ahead;
        CONTINUE WHEN to_regclass('processed_events_' || to_char(day, 'YYYYMMDD')) IS NOT NULL;
        BEGIN
            EXECUTE format('CREATE TABLE %I PARTITION OF processed_events FOR VALUES FROM (%L) TO (%L)',
                'processed_events_' || to_char(day, 'YYYYMMDD'), inbox_first_id(day), inbox_first_id(day + 1));
            made := made + 1;
        EXCEPTION WHEN check_violation THEN
            RAISE NOTICE 'the ids of % stay in the rest', day;
        END;
    END LOOP;
    RETURN made;
END
$$;

-- Forgets whole days before a moment, oldest first, and moves the horizon with them. Stops at a day that still has events on hold.
CREATE FUNCTION inbox_forget(before timestamptz) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET search_path FROM CURRENT AS $$
DECLARE
    part text;
    day date;
    waiting boolean;
    dropped integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('inbox_partitions'));
    FOR part IN
        SELECT c.relname
        FROM pg_inherits AS i
        JOIN pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'processed_events'::regclass AND c.relname ~ '^processed_events_[0-9]{8}$'
        ORDER BY c.relname
    LOOP
        day := to_date(right(part, 8), 'YYYYMMDD');
        EXIT WHEN day + 1 > before;
        EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE outcome IN (''held'', ''parked''))', part) INTO waiting;
        EXIT WHEN waiting;
        EXECUTE format('DROP TABLE %I', part);
        UPDATE inbox_horizon SET forgotten_before = day + 1;
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$$;

SELECT inbox_make_partitions(2);

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
