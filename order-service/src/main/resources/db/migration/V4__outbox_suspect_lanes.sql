-- A claim that does not come back is normal: a relay was killed. Several in a row on one lane may mean that one of its events kills whoever
-- delivers it. claims_without_progress counts them; from some number on the lane's events are taken one by one, which shows the culprit.
-- careful_until is the last position of the batch that was in hand: up to there, and no further, one by one.
SET LOCAL lock_timeout = '5s';

ALTER TABLE outbox_lane ADD COLUMN careful_until bigint;

COMMENT ON COLUMN outbox_lane.claims_without_progress IS 'claims in a row whose relay has not written what became of them';
COMMENT ON COLUMN outbox_lane.careful_until IS 'events up to this position are taken one by one; NULL: no suspicion';
