package dev.outboxlog.inbox;

import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/** Whose fault a failed transaction is: that decides between trying for ever and parking. */
public enum FailureClass {

    /** The database cannot be reached, or went away: connection lost, starting up, shutting down (SQLSTATE classes 08, 57P). */
    CONNECTION,
    /** It gives up waiting: for a lock, or for the end of a slow statement. */
    TIMEOUT,
    /** This process gives up waiting: for a free connection, or for an answer. */
    POOL,
    /** Two transactions were in each other's way (class 40): the next attempt is likely to succeed. */
    CONFLICT,
    /** No resources or read-only: disk full, too many connections, a standby (53, 58, 25006). */
    RESOURCES,
    /**
     * What is wrong is wrong for every event: a missing table, a missing right, an internal error. Parking would empty the whole
     * topic into the hold, so it is retried until somebody repairs it.
     */
    ENVIRONMENT,
    /** The event's: its data violate a constraint, or the handler fails on it. Trying for ever would not help. */
    EVENT;

    /** Classes of SQLSTATE that only the data of a statement can cause. */
    private static final Set<String> OF_THE_DATA = Set.of("21", "22", "23", "44", "P0");

    /** Classifies a failure by its nearest cause that says something; never by the text of a message. */
    public static FailureClass of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PgException refused) {
                return ofSqlState(refused.getSqlState());
            }
            if (cause instanceof TimeoutException
                    || cause instanceof io.smallrye.mutiny.TimeoutException
                    || cause instanceof NoStackTraceThrowable
                    || cause instanceof ConnectionPoolTooBusyException) {
                return POOL;
            }
            if (cause instanceof VertxException || cause instanceof IOException) {
                return CONNECTION;
            }
        }
        return failure instanceof Error ? ENVIRONMENT : EVENT;
    }

    static FailureClass ofSqlState(String state) {
        if (state == null || state.length() != 5) {
            return ENVIRONMENT;
        }
        String group = state.substring(0, 2);
        return switch (state) {
            case "57014", "55P03", "25P03", "25P04" -> TIMEOUT;
            case "25006" -> RESOURCES;
            default ->
                switch (group) {
                    case "08", "57" -> CONNECTION;
                    case "40" -> CONFLICT;
                    case "53", "58" -> RESOURCES;
                    default -> OF_THE_DATA.contains(group) ? EVENT : ENVIRONMENT;
                };
        };
    }

    /** Whether the same work may succeed later without anybody touching the event. */
    public boolean isTransient() {
        return this != EVENT;
    }

    /** For metrics and logs. */
    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
