package dev.outboxlog.bench;

import java.util.List;

/**
 * What there is to deliver.
 *
 * @param topic where to
 * @param events how many
 * @param aggregates the events belong to so many, in turn
 */
record Workload(String topic, int events, int aggregates) {

    Workload {
        if (events < 1 || aggregates < 1) {
            throw new IllegalArgumentException(
                    "a workload needs events and aggregates, not " + events + " and " + aggregates);
        }
    }

    /** As arguments of a program. */
    List<String> arguments() {
        return List.of(topic, Integer.toString(events), Integer.toString(aggregates));
    }
}
