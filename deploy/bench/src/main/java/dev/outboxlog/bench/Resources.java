package dev.outboxlog.bench;

import java.util.ArrayDeque;
import java.util.Deque;

/** What must be ended, last first. For any thread: the end may come from the user while something is being started. */
final class Resources implements AutoCloseable {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private boolean closed;

    /**
     * Remembers a resource.
     *
     * @throws IllegalStateException after the end, when nothing may start any more; the resource is closed
     */
    <T extends AutoCloseable> T add(T resource) {
        synchronized (open) {
            if (!closed) {
                open.push(resource);
                return resource;
            }
        }
        closeQuietly(resource);
        throw new IllegalStateException("the measurement was ended");
    }

    /** How many there are: for {@link #closeSince}. */
    int mark() {
        synchronized (open) {
            return open.size();
        }
    }

    /** Closes what was added after a mark. */
    void closeSince(int mark) {
        while (true) {
            AutoCloseable last;
            synchronized (open) {
                if (open.size() <= mark) {
                    return;
                }
                last = open.pop();
            }
            closeQuietly(last);
        }
    }

    /** Closes everything, for good. */
    @Override
    public void close() {
        synchronized (open) {
            closed = true;
        }
        closeSince(0);
    }

    private static void closeQuietly(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            System.err.println("While stopping: " + e);
        }
    }
}
