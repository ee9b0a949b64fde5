-- The outbox is a log: events are appended and read, never updated. What changes is kept beside it: 64 narrow lane rows that say
-- how far each lane is delivered, a row for each event that was passed without delivery, and a ledger of what left when.
-- A full outbox therefore leaves no dead tuples behind, and a long-running transaction elsewhere does not slow the relay down.

-- One sequence for all lanes, so that positions of different lanes can be compared: lower means appended earlier.
CREATE SEQUENCE outbox_position AS bigint;

-- lane, position: the place in the log. Range partitions by position make retention a DROP.
-- payload_bytes: known when the event is written, so that a reader can bound its memory without touching the payload.
-- payload is json, not jsonb: consumers get the very bytes that the writer gave.
CREATE TABLE outbox_log (
  lane           smallint    NOT NULL,
  position       bigint      NOT NULL,
  sequence       bigint      NOT NULL,
  created_at     timestamptz NOT NULL,
  id             uuid        NOT NULL,
  payload_bytes  integer     NOT NULL,
  topic          text        NOT NULL,
  type           text        NOT NULL,
  aggregate_type text        NOT NULL,
  aggregate_id   text        NOT NULL,
  headers        jsonb,
  payload        json        NOT NULL,
  CONSTRAINT outbox_log_pkey PRIMARY KEY (lane, position),
  CONSTRAINT outbox_log_lane_exists CHECK (lane BETWEEN 0 AND 63),
  CONSTRAINT outbox_log_sequence_positive CHECK (sequence > 0),
  CONSTRAINT outbox_log_topic_not_empty CHECK (topic <> '')
) PARTITION BY RANGE (position);

COMMENT ON TABLE outbox_log IS
  'The events, immutable. Written only through the view outbox, whose trigger gives lane and position.';

-- Catches positions for which nobody made a partition: slower to clean up, but nothing is refused.
CREATE TABLE outbox_log_default PARTITION OF outbox_log DEFAULT;
CREATE UNIQUE INDEX outbox_log_default_id ON outbox_log_default (id);

-- An id is unique in its partition by index; across partitions outbox_append() looks before it writes.
DO $$
DECLARE
  size CONSTANT bigint := 10000000;
  lower_bound bigint;
  partition text;
BEGIN
  FOR n IN 0..3 LOOP
    lower_bound := n * size;
    partition := format('outbox_log_%s', lpad(n::text, 6, '0'));
    EXECUTE format('CREATE TABLE %I PARTITION OF outbox_log FOR VALUES FROM (%s) TO (%s)', partition, lower_bound, lower_bound + size);
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (id)', partition || '_id', partition);
  END LOOP;
END $$;

-- Updated twice for each batch that a relay moves: half-empty pages and no second index keep those updates HOT.
-- owner is set while a relay works on the lane; with locked_until in the past it tells that the relay died or was frozen.
CREATE TABLE outbox_lane (
  lane                    smallint    NOT NULL,
  cursor                  bigint      NOT NULL DEFAULT 0,
  epoch                   bigint      NOT NULL DEFAULT 0,
  owner                   text,
  locked_until            timestamptz,
  claims_without_progress integer     NOT NULL DEFAULT 0,
  CONSTRAINT outbox_lane_pkey PRIMARY KEY (lane),
  CONSTRAINT outbox_lane_exists CHECK (lane BETWEEN 0 AND 63),
  CONSTRAINT outbox_lane_lease_is_whole CHECK ((owner IS NULL) = (locked_until IS NULL))
) WITH (fillfactor = 50);

COMMENT ON COLUMN outbox_lane.cursor IS 'the last position that is delivered or on hold';
COMMENT ON COLUMN outbox_lane.epoch IS 'fencing token: +1 at every claim, named by every later write of that claim';

INSERT INTO outbox_lane (lane) SELECT lane FROM generate_series(0, 63) AS lane;

-- Events that the cursor has passed without delivery.
-- retrying: has a next attempt; blocked: waits behind an earlier event of its aggregate; parked: waits for a person;
-- discarded: a person decided that it will never be sent.
CREATE TABLE outbox_hold (
  lane            smallint    NOT NULL,
  position        bigint      NOT NULL,
  event_id        uuid        NOT NULL,
  aggregate_id    text        NOT NULL,
  state           text        NOT NULL,
  attempts        integer     NOT NULL,
  next_attempt_at timestamptz,
  failure_class   text,
  last_error      text,
  held_since      timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT outbox_hold_pkey PRIMARY KEY (lane, position),
  CONSTRAINT outbox_hold_state_known CHECK (state IN ('retrying', 'blocked', 'parked', 'discarded')),
  CONSTRAINT outbox_hold_retrying_has_time CHECK ((state = 'retrying') = (next_attempt_at IS NOT NULL))
);

-- Is this event's aggregate on hold? Asked for every event that is read; the table is nearly always empty.
CREATE INDEX outbox_hold_of_aggregate ON outbox_hold (lane, aggregate_id, position) WHERE state <> 'discarded';
-- Does this lane have a hold whose time has come? Asked for every lane at every claim.
CREATE INDEX outbox_hold_due ON outbox_hold (lane, next_attempt_at) WHERE state = 'retrying';

-- The ledger: when did it leave, under which claim, where is it in Kafka. One narrow row for each delivered batch of a lane, and one
-- for each held event that was delivered later (its position lies inside an earlier batch's range).
CREATE TABLE outbox_delivery (
  lane           smallint    NOT NULL,
  first_position bigint      NOT NULL,
  last_position  bigint      NOT NULL,
  events         integer     NOT NULL,
  epoch          bigint      NOT NULL,
  delivered_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  offsets        jsonb       NOT NULL,
  CONSTRAINT outbox_delivery_pkey PRIMARY KEY (lane, last_position, first_position),
  CONSTRAINT outbox_delivery_range_ordered CHECK (first_position <= last_position)
);

COMMENT ON COLUMN outbox_delivery.offsets IS 'topic-partition to [first offset, last offset] of the batch''s records';

-- The lane of an aggregate. SHA-256 and not hashtext(): the lane must stay the same across PostgreSQL versions and be computable by
-- any client. Also in Java: Lanes.of(String).
CREATE FUNCTION outbox_lane_of(aggregate_id text) RETURNS smallint
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (get_byte(sha256(convert_to(aggregate_id, 'UTF8')), 0) & 63)::smallint;

-- What everybody reads, and the only way to append. The status is derived, so it cannot be stale.
CREATE VIEW outbox AS
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
  -- A scalar subquery and no join: who does not ask for this column does not pay for it.
  CASE WHEN h.state IS NULL AND e.position <= l.cursor THEN (
    SELECT d.delivered_at
    FROM outbox_delivery d
    WHERE d.lane = e.lane AND d.last_position >= e.position AND d.first_position <= e.position
    ORDER BY d.last_position, d.first_position DESC
    LIMIT 1
  ) END AS delivered_at,
  e.lane,
  e.position
FROM outbox_log e
JOIN outbox_lane l ON l.lane = e.lane
LEFT JOIN outbox_hold h ON h.lane = e.lane AND h.position = e.position;

-- Gives every insert its lane and its commit-ordered position, whoever inserts.
--
-- A reader that remembers only the last position it has seen loses an event whose transaction drew a lower position and committed
-- later. So the position is drawn under a lock of the lane that is held until the transaction ends: within a lane, positions rise in
-- commit order, and whoever sees one sees all before it. Positions of rolled-back transactions are gaps and harmless.
--
-- A transaction that appends for several aggregates appends them in lane order, or two such transactions can deadlock.
--
-- SECURITY DEFINER: an application needs no INSERT on outbox_log, hence cannot go around the lock.
CREATE FUNCTION outbox_append() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
  IF NEW.id IS NULL THEN
    RAISE not_null_violation USING MESSAGE = 'an event needs an id', COLUMN = 'id', TABLE = 'outbox',
      HINT = 'Give it a UUID, best a version 7: consumers recognise duplicates by it.';
  END IF;
  IF NEW.topic IS NULL THEN
    RAISE not_null_violation USING MESSAGE = 'an event needs a topic', COLUMN = 'topic', TABLE = 'outbox',
      HINT = 'It is the Kafka topic that the event is published to.';
  END IF;
  IF NEW.payload IS NULL THEN
    RAISE not_null_violation USING MESSAGE = 'an event needs a payload', COLUMN = 'payload', TABLE = 'outbox',
      HINT = 'For an event without data use the JSON text null.';
  END IF;
  IF NEW.status <> 'pending' THEN
    RAISE invalid_parameter_value USING MESSAGE = format('an event cannot be inserted as %L', NEW.status), COLUMN = 'status', TABLE = 'outbox',
      HINT = 'Leave status out or say ''pending'': it is derived from what the relay has done.';
  END IF;

  NEW.aggregate_id := COALESCE(NEW.aggregate_id, NEW.id::text);
  NEW.aggregate_type := COALESCE(NEW.aggregate_type, 'event');
  NEW.type := COALESCE(NEW.type, NEW.topic);
  NEW.sequence := COALESCE(NEW.sequence, 1);
  NEW.status := 'pending';
  NEW.lane := outbox_lane_of(NEW.aggregate_id);

  PERFORM pg_advisory_xact_lock(1869968482, NEW.lane); -- 0x6f757462, "outb": keeps other users of advisory locks apart

  -- The same id means the same aggregate, hence the same lane, hence no race; the index of each partition guards what that leaves open.
  PERFORM FROM outbox_log e WHERE e.id = NEW.id;
  IF FOUND THEN
    RAISE unique_violation USING MESSAGE = format('event %s is in the outbox already', NEW.id), COLUMN = 'id', TABLE = 'outbox';
  END IF;

  NEW.position := nextval('outbox_position');
  NEW.created_at := clock_timestamp();
  INSERT INTO outbox_log (
    lane, position, sequence, created_at, id, payload_bytes, topic, type, aggregate_type, aggregate_id, headers, payload)
  VALUES (
    NEW.lane, NEW.position, NEW.sequence, NEW.created_at, NEW.id, octet_length(NEW.payload::text), NEW.topic, NEW.type,
    NEW.aggregate_type, NEW.aggregate_id, NEW.headers, NEW.payload);
  RETURN NEW;
END $$;

CREATE TRIGGER outbox_append INSTEAD OF INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION outbox_append();

CREATE FUNCTION outbox_refuse_change() RETURNS trigger LANGUAGE plpgsql
AS $$
BEGIN
  RAISE feature_not_supported USING MESSAGE = format('an event cannot be changed: %s on outbox', TG_OP),
    HINT = 'The outbox is a log. To correct a fact, append another event.';
END $$;

CREATE TRIGGER outbox_refuse_change INSTEAD OF UPDATE OR DELETE ON outbox FOR EACH ROW EXECUTE FUNCTION outbox_refuse_change();
