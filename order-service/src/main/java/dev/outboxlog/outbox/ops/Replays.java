package dev.outboxlog.outbox.ops;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.outboxlog.outbox.Outbox;
import dev.outboxlog.outbox.OutboxConfig;
import dev.outboxlog.outbox.ops.DeliveredEvents.Candidate;
import dev.outboxlog.outbox.ops.DeliveredEvents.Found;
import dev.outboxlog.outbox.ops.ReplayOrder.Selection;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Sends delivered events once more, with the same ids and bytes, those of an aggregate in order. */
@ApplicationScoped
class Replays {

    private static final int FIRST = 100;
    /** Of many ids the audit names so many; {@code outbox_action_event} has all of them. */
    private static final int NAMED_IDS = 100;

    private final DeliveredEvents events;
    private final Transactions transactions;
    private final Outbox outbox;
    private final OpsMetrics metrics;
    private final int maxEvents;
    private final Duration dedupWindow;

    Replays(DeliveredEvents events, Transactions transactions, Outbox outbox, OpsMetrics metrics, OutboxConfig config) {
        this.events = events;
        this.transactions = transactions;
        this.outbox = outbox;
        this.metrics = metrics;
        this.maxEvents = config.replay().maxEvents();
        this.dedupWindow = config.replay().dedupWindow();
    }

    /** What was done, or would be. */
    @Schema(name = "OutboxReplayed")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Replayed(
            boolean dryRun,
            boolean changed,

            @Schema(description = "How many events are sent once more")
            int events,

            @Schema(description = "Of the ids: how many are unknown, not delivered yet, or on hold")
            Integer notDelivered,

            int aggregates,

            @Schema(description = "The first hundred") List<String> firstAggregates,

            @Schema(description = "When the oldest of the events was appended")
            Instant createdFrom,

            @Schema(description = "When the newest of the events was appended")
            Instant createdTo,

            @Schema(description = "How many are so old that consumers may have forgotten their ids")
            long forgotten,

            @Schema(description = "For how long consumers remember ids: outbox.replay.dedup-window")
            Duration dedupWindow) {}

    /** Does it, or says what would happen. */
    Uni<Replayed> replay(ReplayOrder order) {
        Selection selection = order.selection();
        if (selection instanceof Selection.Ids ids && ids.ids().size() > maxEvents) {
            throw Problems.replayTooLarge(ids.ids().size(), true, maxEvents);
        }
        return events.find(selection, maxEvents).chain(found -> {
            if (found.total() > maxEvents) {
                throw Problems.replayTooLarge(found.total(), found.total() < DeliveredEvents.COUNTED, maxEvents);
            }
            Replayed preview = preview(order, selection, found);
            if (order.dryRun()) {
                return Uni.createFrom().item(preview);
            }
            if (preview.forgotten() > 0 && !order.evenIfForgotten()) {
                throw Problems.forgotten(preview.forgotten(), dedupWindow);
            }
            return carryOut(order, selection, found, preview);
        });
    }

    private Uni<Replayed> carryOut(ReplayOrder order, Selection selection, Found found, Replayed preview) {
        List<Integer> lanes = found.candidates().stream()
                .map(candidate -> candidate.place().lane())
                .distinct()
                .toList();
        return transactions
                .inLanes(lanes, tx -> events.replay(tx, found.candidates(), target(selection), order.deed()))
                .invoke(replayed -> {
                    metrics.acted(
                            "replay",
                            replayed > 0 ? new Result.Done("retrying", replayed) : new Result.Already("delivered"));
                    outbox.nudge();
                })
                .map(replayed -> new Replayed(
                        false,
                        replayed > 0,
                        replayed,
                        preview.notDelivered(),
                        preview.aggregates(),
                        preview.firstAggregates(),
                        preview.createdFrom(),
                        preview.createdTo(),
                        preview.forgotten(),
                        dedupWindow));
    }

    private Replayed preview(ReplayOrder order, Selection selection, Found found) {
        List<Candidate> candidates = found.candidates();
        List<String> aggregates = candidates.stream()
                .map(Candidate::aggregateId)
                .distinct()
                .sorted()
                .toList();
        List<Instant> times = candidates.stream()
                .map(Candidate::createdAt)
                .sorted(Comparator.naturalOrder())
                .toList();
        long forgotten = candidates.stream()
                .filter(candidate ->
                        candidate.rememberedAs().isBefore(found.now().minus(dedupWindow)))
                .count();
        return new Replayed(
                order.dryRun(),
                false,
                candidates.size(),
                selection instanceof Selection.Ids ids ? ids.ids().size() - candidates.size() : null,
                aggregates.size(),
                aggregates.stream().limit(FIRST).toList(),
                times.isEmpty() ? null : times.get(0),
                times.isEmpty() ? null : times.get(times.size() - 1),
                forgotten,
                dedupWindow);
    }

    private static JsonObject target(Selection selection) {
        if (selection instanceof Selection.Ids ids) {
            JsonArray first = new JsonArray();
            ids.ids().stream().limit(NAMED_IDS).forEach(id -> first.add(id.toString()));
            return new JsonObject().put("ids", first).put("count", ids.ids().size());
        }
        if (selection instanceof Selection.Aggregate aggregate) {
            return new JsonObject().put("aggregate", aggregate.aggregateId());
        }
        Selection.Time time = (Selection.Time) selection;
        JsonObject target = new JsonObject()
                .put("createdFrom", time.from().toString())
                .put("createdTo", time.to().toString());
        if (time.topic() != null) {
            target.put("topic", time.topic());
        }
        if (time.type() != null) {
            target.put("type", time.type());
        }
        return target;
    }
}
