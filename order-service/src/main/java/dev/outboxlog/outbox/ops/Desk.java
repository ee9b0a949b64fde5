package dev.outboxlog.outbox.ops;

import dev.outboxlog.outbox.HoldOrder;
import dev.outboxlog.outbox.Outbox;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** Carries out what people order: in a transaction of its own each; counts it, and wakes the relay of this process, after the commit. */
@ApplicationScoped
class Desk {

    private final EventHistory history;
    private final EventActions events;
    private final ParkedEvents parked;
    private final Pauses pauses;
    private final Transactions transactions;
    private final Outbox outbox;
    private final OpsMetrics metrics;

    Desk(
            EventHistory history,
            EventActions events,
            ParkedEvents parked,
            Pauses pauses,
            Transactions transactions,
            Outbox outbox,
            OpsMetrics metrics) {
        this.history = history;
        this.events = events;
        this.parked = parked;
        this.pauses = pauses;
        this.transactions = transactions;
        this.outbox = outbox;
        this.metrics = metrics;
    }

    Uni<Result> retry(UUID id, Deed deed) {
        return toEvent("retry", id, (tx, place) -> events.retry(tx, place, deed));
    }

    Uni<Result> discard(UUID id, Deed deed) {
        return toEvent("discard", id, (tx, place) -> events.discard(tx, place, deed));
    }

    private Uni<Result> toEvent(String action, UUID id, BiFunction<SqlConnection, EventPlace, Uni<Result>> deed) {
        return history.place(id)
                .chain(found -> found.isEmpty()
                        ? Uni.createFrom().item(new Result.Unknown())
                        : transactions
                                .inLanes(List.of(found.get().lane()), tx -> deed.apply(tx, found.get()))
                                .invoke(result -> committed(action, result)));
    }

    Uni<Result> retryAggregate(String aggregateId, Deed deed) {
        int lane = HoldOrder.laneOf(aggregateId);
        return transactions
                .inLanes(List.of(lane), tx -> events.retryAggregate(tx, lane, aggregateId, deed))
                .invoke(result -> committed("retry", result));
    }

    Uni<ParkedEvents.Retried> retryMany(RetryOrder order) {
        List<Integer> lanes = order.dryRun()
                ? List.of()
                : IntStream.range(0, HoldOrder.LANES).boxed().toList();
        return transactions.inLanes(lanes, tx -> parked.retry(tx, order)).invoke(retried -> {
            if (!retried.dryRun()) {
                committed(
                        "retry",
                        retried.changed()
                                ? new Result.Done("retrying", retried.events())
                                : new Result.Already("none is parked"));
            }
        });
    }

    Uni<Result> pause(PauseOrder order) {
        return transactions
                .inLanes(order.lanes(), tx -> pauses.pause(tx, order))
                .invoke(result -> committed("pause", result));
    }

    Uni<Result> resume(PauseOrder order) {
        return transactions
                .inLanes(order.lanes(), tx -> pauses.resume(tx, order))
                .invoke(result -> committed("resume", result));
    }

    private void committed(String action, Result result) {
        if (!(result instanceof Result.Unknown)) {
            metrics.acted(action, result);
        }
        if (result instanceof Result.Done) {
            outbox.nudge();
        }
    }
}
