-- What the outbox costs those who write to it, and what an old snapshot in another session costs the relay. Both were measured.
SET LOCAL lock_timeout = '5s';

-- A session that keeps a snapshot open for long keeps every version of the lanes' rows since then: hundreds of thousands. Who looks for a lane
-- by its number has to pass them all. With the epoch in the key, the newest version is the first one to be met, however many there are.
-- That the lanes are 64 and stay so is nobody's business but this migration's: no one else inserts here.
ALTER TABLE outbox_lane DROP CONSTRAINT outbox_lane_pkey;
ALTER TABLE outbox_lane ADD CONSTRAINT outbox_lane_pkey PRIMARY KEY (lane, epoch);

-- The lanes, each found from its highest epoch down. address is where the row lies, for statements that lock what they have found: joined by
-- lane and epoch, the planner may well read all versions of all lanes to find one.
CREATE VIEW outbox_lane_now AS
SELECT newest.lane, newest.epoch, newest.cursor, newest.owner, newest.locked_until, newest.claims_without_progress, newest.careful_until,
       newest.address
FROM generate_series(0, 63) AS number (lane)
CROSS JOIN LATERAL (
  SELECT l.lane, l.epoch, l.cursor, l.owner, l.locked_until, l.claims_without_progress, l.careful_until, l.ctid AS address
  FROM outbox_lane l
  WHERE l.lane = number.lane
  ORDER BY l.epoch DESC
  LIMIT 1
) newest;

-- PostgreSQL parses the text of a CHECK anew for every statement that inserts: a fifth of an append's time. The trigger is the only one
-- that writes to the log and sees to the same.
ALTER TABLE outbox_log
  DROP CONSTRAINT outbox_log_lane_exists,
  DROP CONSTRAINT outbox_log_sequence_positive,
  DROP CONSTRAINT outbox_log_topic_not_empty;

-- As in V1, but for what made it slow. The look for the same id in other partitions, a third of an append, is gone: within its partition an
-- id is still unique, and one that comes again ten million events later is published again, which every consumer that remembers ids skips.
-- And PL/pgSQL prepares each of its expressions anew in every transaction, so there are few: what can be refused is asked in one, the defaults
-- are the INSERT's.
CREATE OR REPLACE FUNCTION outbox_append() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
  IF NEW.id IS NULL OR NEW.topic IS NULL OR NEW.topic = '' OR NEW.payload IS NULL OR NEW.sequence < 1 OR NEW.status <> 'pending' THEN
    IF NEW.id IS NULL THEN
      RAISE not_null_violation USING MESSAGE = 'an event needs an id', COLUMN = 'id', TABLE = 'outbox',
        HINT = 'Give it a UUID, best a version 7: consumers recognise duplicates by it.';
    ELSIF NEW.topic IS NULL OR NEW.topic = '' THEN
      RAISE not_null_violation USING MESSAGE = 'an event needs a topic', COLUMN = 'topic', TABLE = 'outbox',
        HINT = 'It is the Kafka topic that the event is published to.';
    ELSIF NEW.payload IS NULL THEN
      RAISE not_null_violation USING MESSAGE = 'an event needs a payload', COLUMN = 'payload', TABLE = 'outbox',
        HINT = 'For an event without data use the JSON text null.';
    ELSIF NEW.sequence < 1 THEN
      RAISE check_violation USING MESSAGE = format('an event''s sequence starts at 1, not at %s', NEW.sequence), COLUMN = 'sequence', TABLE = 'outbox';
    END IF;
    RAISE invalid_parameter_value USING MESSAGE = format('an event cannot be inserted as %L', NEW.status), COLUMN = 'status', TABLE = 'outbox',
      HINT = 'Leave status out or say ''pending'': it is derived from what the relay has done.';
  END IF;

  -- outbox_lane_of(), written out: a call costs more than the hash.
  NEW.lane := get_byte(sha256(convert_to(COALESCE(NEW.aggregate_id, NEW.id::text), 'UTF8')), 0) & 63;

  -- 0x6f757462, "outb", keeps other users of advisory locks apart. Asked as a condition, which is never true: an expression costs less than a
  -- statement.
  IF pg_advisory_xact_lock(1869968482, NEW.lane) IS NULL THEN
    RAISE internal_error USING MESSAGE = 'a lock cannot be had';
  END IF;

  INSERT INTO outbox_log AS e (
    lane, position, sequence, created_at, id, payload_bytes, topic, type, aggregate_type, aggregate_id, headers, payload)
  VALUES (
    NEW.lane, nextval('outbox_position'), COALESCE(NEW.sequence, 1), clock_timestamp(), NEW.id, octet_length(NEW.payload::text), NEW.topic,
    COALESCE(NEW.type, NEW.topic), COALESCE(NEW.aggregate_type, 'event'), COALESCE(NEW.aggregate_id, NEW.id::text), NEW.headers, NEW.payload)
  RETURNING e.position, e.sequence, e.created_at, e.type, e.aggregate_type, e.aggregate_id, 'pending'
  INTO NEW.position, NEW.sequence, NEW.created_at, NEW.type, NEW.aggregate_type, NEW.aggregate_id, NEW.status;
  RETURN NEW;
END $$;
