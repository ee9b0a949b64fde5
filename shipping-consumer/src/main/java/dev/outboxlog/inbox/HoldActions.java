package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Delivery.Reading;
import dev.outboxlog.inbox.HoldDesk.Locked;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What people do to records on hold. Each action is one transaction together with its audit. */
@Singleton
class HoldActions {

    private static final int MOST_HELD = 1000;

    private final Pool pool;
    private final HoldDesk desk;
    private final Holds holds;
    private final ProcessedEvents processed;
    private final Offering offering;
    private final EventHandler handler;
    private final InboxMetrics metrics;

    HoldActions(
            Pool pool,
            HoldDesk desk,
            Holds holds,
            ProcessedEvents processed,
            Offering offering,
            EventHandler handler,
            InboxMetrics metrics) {
        this.pool = pool;
        this.desk = desk;
        this.holds = holds;
        this.processed = processed;
        this.offering = offering;
        this.handler = handler;
        this.metrics = metrics;
    }

    /** What an action came to. */
    sealed interface Result {

        /**
         * It was done.
         *
         * @param outcome what became of the event: applied, stale, ignored, held or parked
         */
        record Done(String outcome) implements Result {}

        /** Nothing was left to do: the event was settled before. */
        record Already(String state) implements Result {}

        /** The database or the domain refuses the event as it did before; it stays parked. */
        record Refused(String code, String reason) implements Result {}

        /** There is no such thing. */
        record Unknown() implements Result {}

        /** It cannot be done to what it was asked for. */
        record Impossible(String reason) implements Result {}
    }

    /** Offers a parked record again, with what is held behind it. A failure that is the event's own leaves it parked. */
    Uni<Result> retry(long holdId, Deed deed) {
        return pool.withTransaction(transaction -> desk.lock(transaction, holdId)
                        .chain(found -> found.isEmpty()
                                ? Uni.createFrom().<Result>item(new Result.Unknown())
                                : retry(transaction, holdId, found.get(), deed)))
                .onFailure(failure -> FailureClass.of(failure) == FailureClass.EVENT)
                .recoverWithUni(failure -> refused(holdId, Reasons.of(failure), deed));
    }

    /** In a transaction of its own, because that of the attempt is lost; somebody else may have been quicker in between. */
    private Uni<Result> refused(long holdId, Reasons reasons, Deed deed) {
        return pool.withTransaction(transaction -> desk.lock(transaction, holdId)
                .chain(found -> {
                    if (found.isEmpty()) {
                        return Uni.createFrom().item(new Result.Unknown());
                    }
                    if (!found.get().state().equals("parked")) {
                        return audited(
                                transaction,
                                holdId,
                                null,
                                deed,
                                new Result.Already(found.get().state()));
                    }
                    return holds.become(transaction, holdId, Holds.Reason.parked(reasons.code(), reasons.text()))
                            .chain(() -> audited(
                                    transaction,
                                    holdId,
                                    null,
                                    deed,
                                    new Result.Refused(reasons.code(), reasons.text())));
                }));
    }

    private Uni<Result> retry(SqlConnection transaction, long holdId, Locked locked, Deed deed) {
        if (!locked.state().equals("parked")) {
            return audited(transaction, holdId, null, deed, new Result.Already(locked.state()));
        }
        if (locked.delivery().reading() instanceof Reading.Malformed malformed) {
            return audited(transaction, holdId, null, deed, new Result.Refused(malformed.code(), malformed.reason()));
        }
        Candidate candidate = Candidate.fromHold(holdId, true, locked.delivery());
        UUID id = candidate.event().id();
        String subject = candidate.event().subject();
        return processed.claimParked(transaction, id).chain(ours -> {
            if (!ours) {
                return holds.become(transaction, holdId, Holds.Reason.settled())
                        .chain(() -> audited(transaction, holdId, subject, deed, new Result.Already("settled")));
            }
            return holds.heldOf(transaction, List.of(subject), MOST_HELD)
                    .chain(held -> offer(transaction, candidate, held))
                    .chain(result -> audited(transaction, holdId, subject, deed, result));
        });
    }

    private Uni<Result> offer(SqlConnection transaction, Candidate first, List<Candidate> held) {
        List<Candidate> all = new ArrayList<>(held);
        all.add(first);
        Settlement settlement = new Settlement();
        return offering.offer(transaction, all, settlement)
                .invoke(metrics::settled)
                .chain(() -> processed.outcome(transaction, first.event().id()))
                .map(outcome -> {
                    Holds.Reason reason = settlement.reasonOf(first.onHold().holdId());
                    return reason.isParked()
                            ? new Result.Refused(reason.code(), reason.text())
                            : new Result.Done(outcome);
                });
    }

    private Uni<Result> audited(SqlConnection transaction, long holdId, String subject, Deed deed, Result result) {
        return desk.audit(transaction, holdId, subject, "retry", deed, text(result))
                .replaceWith(result);
    }

    private static String text(Result result) {
        if (result instanceof Result.Done done) {
            return done.outcome();
        }
        if (result instanceof Result.Already already) {
            return "nothing to do: " + already.state();
        }
        return result instanceof Result.Refused refused ? "refused: " + refused.code() : "nothing";
    }

    /** Gives a record up for good; the event's id stays remembered, so that a copy is a duplicate. */
    Uni<Result> discard(long holdId, Deed deed) {
        return desk.discard(holdId, deed)
                .chain(done -> done
                        ? Uni.createFrom().item(new Result.Done("discarded"))
                        : desk.find(holdId)
                                .map(found -> found.<Result>map(whole -> new Result.Already(
                                                whole.record().state()))
                                        .orElseGet(Result.Unknown::new)));
    }

    /** Declares the events before the first held one of a subject as lost, and applies what is held. */
    Uni<Result> release(String subject, Deed deed) {
        return pool.withTransaction(transaction -> holds.heldOf(transaction, List.of(subject), MOST_HELD)
                .chain(held -> held.isEmpty()
                        ? Uni.createFrom().<Result>item(new Result.Unknown())
                        : release(transaction, subject, held, deed)));
    }

    private Uni<Result> release(SqlConnection transaction, String subject, List<Candidate> held, Deed deed) {
        long lost = held.get(0).event().sequence() - 1;
        return handler.skip(transaction, subject, lost).chain(known -> {
            if (!known) {
                return Uni.createFrom().item(new Result.Impossible("the first event of this subject never came"));
            }
            return offering.offer(transaction, held, new Settlement())
                    .invoke(metrics::settled)
                    .chain(result -> desk.audit(transaction, null, subject, "release", deed, "freed " + result.freed())
                            .replaceWith(new Result.Done("freed " + result.freed())));
        });
    }
}
