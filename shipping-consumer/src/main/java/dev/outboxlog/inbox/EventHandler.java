package dev.outboxlog.inbox;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.SqlConnection;
import java.util.List;
import java.util.Set;

/**
 * The domain behind the inbox. Exactly one bean implements it.
 *
 * <p>It is called on an event loop, inside the transaction that remembers the ids of the same events: what it writes through the
 * given connection is there exactly when the ids are. It must write nowhere else, call no other service, and not block.
 */
public interface EventHandler {

    /** The types of events that the domain understands; what happens to others is configured. */
    Set<String> types();

    /**
     * Applies events that were never applied before. Set-based: a batch costs a few statements, not a few per event.
     *
     * @param transaction open; neither committed nor rolled back by the handler
     * @param events those of one subject stand together, by ascending sequence
     * @return one outcome per event, in the same order. A failure rolls everything back: the engine then finds out whose fault it
     *     is by offering fewer events.
     */
    Uni<List<Outcome>> handle(SqlConnection transaction, List<InboxEvent> events);

    /**
     * A person says that the events of a subject up to a sequence are lost for good: the next one that counts is the one after it.
     *
     * @return false where the subject is not known at all, so that nothing can follow; then nothing changes
     */
    Uni<Boolean> skip(SqlConnection transaction, String subject, long upTo);
}
