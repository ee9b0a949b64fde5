package dev.outboxlog.shipping;

import dev.outboxlog.inbox.EventHandler;
import dev.outboxlog.inbox.InboxEvent;
import dev.outboxlog.inbox.Outcome;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Turns events of orders into shipments: reads the rows of a batch once, folds, writes once. */
@Singleton
class ShipmentHandler implements EventHandler {

    private final Shipments shipments;

    ShipmentHandler(Shipments shipments) {
        this.shipments = shipments;
    }

    @Override
    public Set<String> types() {
        return OrderEvents.TYPES;
    }

    @Override
    public Uni<List<Outcome>> handle(SqlConnection transaction, List<InboxEvent> events) {
        List<String> orderIds =
                events.stream().map(InboxEvent::subject).distinct().sorted().toList();
        return shipments.lock(transaction, orderIds).chain(known -> {
            List<Outcome> outcomes = fold(events, known);
            return shipments
                    .insert(
                            transaction,
                            known.values().stream()
                                    .filter(ShipmentChange::isNew)
                                    .toList())
                    .chain(() -> shipments.update(
                            transaction,
                            known.values().stream()
                                    .filter(ShipmentChange::isUpdate)
                                    .toList()))
                    .replaceWith(outcomes);
        });
    }

    @Override
    public Uni<Boolean> skip(SqlConnection transaction, String subject, long upTo) {
        return shipments.skip(transaction, subject, upTo);
    }

    private static List<Outcome> fold(List<InboxEvent> events, Map<String, ShipmentChange> known) {
        List<Outcome> outcomes = new ArrayList<>(events.size());
        for (InboxEvent event : events) {
            outcomes.add(known.computeIfAbsent(event.subject(), ShipmentChange::ofNew)
                    .apply(event));
        }
        return outcomes;
    }
}
