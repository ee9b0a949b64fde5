-- What people do to the outbox, and what they need to see of it.

-- What must not leave for now. Nearly always empty, and asked at every claim.
-- all, lane: such lanes are not claimed. topic, aggregate: the cursor passes such events, which wait on hold as blocked, so that the
-- others of their lanes flow.
CREATE TABLE outbox_pause (
  scope  text        NOT NULL,
  target text        NOT NULL,
  since  timestamptz NOT NULL DEFAULT clock_timestamp(),
  who    text        NOT NULL,
  why    text        NOT NULL,
  CONSTRAINT outbox_pause_pkey PRIMARY KEY (scope, target),
  CONSTRAINT outbox_pause_scope_known CHECK (scope IN ('all', 'lane', 'topic', 'aggregate')),
  CONSTRAINT outbox_pause_all_has_no_target CHECK ((scope = 'all') = (target = ''))
);

COMMENT ON COLUMN outbox_pause.target IS 'the lane''s number, the topic, the aggregate''s id; empty for all';

-- What people did: written by the statement that did it, never changed. A deed that changed nothing leaves a row, too: affected is 0
-- and outcome says why.
CREATE TABLE outbox_action (
  action_id bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
  acted_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  affected  integer     NOT NULL,
  action    text        NOT NULL,
  who       text        NOT NULL,
  why       text        NOT NULL,
  outcome   text        NOT NULL,
  target    jsonb       NOT NULL,
  CONSTRAINT outbox_action_pkey PRIMARY KEY (action_id),
  CONSTRAINT outbox_action_known CHECK (action IN ('retry', 'discard', 'pause', 'resume', 'replay')),
  CONSTRAINT outbox_action_affected_not_negative CHECK (affected >= 0)
);

COMMENT ON COLUMN outbox_action.target IS 'what was named: an event, an aggregate, a filter, a scope';

-- The history of an event: which deeds concerned it. Keyed by the event's place, for which it is asked.
CREATE TABLE outbox_action_event (
  lane      smallint NOT NULL,
  position  bigint   NOT NULL,
  action_id bigint   NOT NULL,
  CONSTRAINT outbox_action_event_pkey PRIMARY KEY (lane, position, action_id)
);

-- A replay is a hold of an event that was delivered: it goes the way of all that is on hold, and new events of its aggregate wait
-- behind it. When it is delivered or discarded its row goes, and the event is what it was: delivered.
ALTER TABLE outbox_hold ADD COLUMN replay boolean NOT NULL DEFAULT false;
ALTER TABLE outbox_hold ADD CONSTRAINT outbox_hold_replay_is_not_discarded CHECK (NOT (replay AND state = 'discarded'));

-- An event that is delivered once more has a second row in the ledger for the same place, under another claim.
ALTER TABLE outbox_delivery ADD COLUMN replay boolean NOT NULL DEFAULT false;
ALTER TABLE outbox_delivery DROP CONSTRAINT outbox_delivery_pkey;
ALTER TABLE outbox_delivery ADD CONSTRAINT outbox_delivery_pkey PRIMARY KEY (lane, last_position, first_position, epoch);

-- Which holds of an aggregate are about to be tried? Only its first may be; asked for each aggregate whose holds have changed.
CREATE INDEX outbox_hold_retrying_of_aggregate ON outbox_hold (lane, aggregate_id, position) WHERE state = 'retrying';

-- The batch that an event was delivered with. Without those of one event: a search upwards from a position would have to pass them all.
CREATE INDEX outbox_delivery_batches ON outbox_delivery (lane, last_position) WHERE first_position < last_position;
-- What was delivered lately?
CREATE INDEX outbox_delivery_lately ON outbox_delivery (delivered_at);

-- Lists events by time, newest first. Rows come in the order of this index, so an insert writes to its last page.
-- There is none on topic and type: each would cost every insert, and a search bounds how much it looks at.
CREATE INDEX outbox_log_by_time ON outbox_log (created_at, position);
-- None on the aggregate either, whose ids come in no order: the events of one are found in its lane, a sixty-fourth of all.

-- As in V1, with two more columns at its end. An event that was replayed shows when it was delivered last.
CREATE OR REPLACE VIEW outbox AS
SELECT
  e.id,
  e.topic,
  e.type,
  e.aggregate_type,
  e.aggregate_id,
  e.sequence,
  e.payload,
  e.headers,
  CASE
    WHEN h.state IS NOT NULL THEN h.state
    WHEN e.position <= l.cursor THEN 'delivered'
    WHEN l.locked_until > clock_timestamp() THEN 'processing'
    ELSE 'pending'
  END AS status,
  e.created_at,
  CASE WHEN h.state IS NULL AND e.position > l.cursor AND l.locked_until > clock_timestamp() THEN l.locked_until END AS locked_until,
  COALESCE(h.attempts, 0) AS attempts,
  h.next_attempt_at,
  h.last_error,
  CASE WHEN h.state IS NULL AND e.position <= l.cursor THEN (
    SELECT d.delivered_at
    FROM outbox_delivery d
    WHERE d.lane = e.lane AND d.last_position >= e.position AND d.first_position <= e.position
    ORDER BY d.last_position, d.first_position DESC, d.epoch DESC
    LIMIT 1
  ) END AS delivered_at,
  e.lane,
  e.position,
  h.failure_class,
  COALESCE(h.replay, false) AS replay
FROM outbox_log e
JOIN outbox_lane l ON l.lane = e.lane
LEFT JOIN outbox_hold h ON h.lane = e.lane AND h.position = e.position;
