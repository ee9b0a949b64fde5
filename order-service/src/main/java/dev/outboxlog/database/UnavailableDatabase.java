package dev.outboxlog.database;

import io.quarkiverse.resteasy.problem.HttpProblem;
import io.quarkiverse.resteasy.problem.postprocessing.ProblemContext;
import io.quarkiverse.resteasy.problem.postprocessing.ProblemPostProcessor;
import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.pgclient.PgException;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/**
 * Tells a client apart from a fault of ours that it may come again: the database is away, overloaded, or gave up waiting. Whether the
 * request was carried out is then not known, as after any 503 that comes late.
 */
@ApplicationScoped
class UnavailableDatabase implements ProblemPostProcessor {

    private static final int SERVICE_UNAVAILABLE = 503;
    private static final int RETRY_AFTER_SECONDS = 1;

    /** Classes of SQLSTATE that a repetition may mend: connection, rollback of a transaction, resources, intervention, system. */
    private static final Set<String> PASSING_CLASSES = Set.of("08", "40", "53", "57", "58");

    /** Single states that a repetition may mend: lock not available, read-only transaction (a primary that was demoted). */
    private static final Set<String> PASSING_STATES = Set.of("55P03", "25006");

    @Override
    public HttpProblem apply(HttpProblem problem, ProblemContext context) {
        if (problem.getStatusCode() != 500 || !isPassing(context.cause)) {
            return problem;
        }
        return problem().withInstance(problem.getInstance()).build();
    }

    /**
     * A pool that gave up waiting says so with a Throwable that is no Exception, which the problems' own mapper does not see.
     */
    @ServerExceptionMapper
    public Response noConnection(NoStackTraceThrowable failure) {
        return problem().build().toResponse();
    }

    private static HttpProblem.Builder problem() {
        return HttpProblem.builder()
                .withStatus(SERVICE_UNAVAILABLE)
                .withTitle("Service Unavailable")
                .withDetail("the database did not answer in time; try again")
                .withHeader(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
    }

    private static boolean isPassing(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PgException refused) {
                String state = refused.getSqlState();
                return state != null
                        && (PASSING_STATES.contains(state) || PASSING_CLASSES.contains(state.substring(0, 2)));
            }
            // What the client itself reports: a pool that gave up waiting, a connection that could not be made or was
            // lost.
            if (cause instanceof ConnectionPoolTooBusyException
                    || cause instanceof TimeoutException
                    || cause instanceof IOException
                    || cause instanceof VertxException
                    || cause instanceof NoStackTraceThrowable) {
                return true;
            }
        }
        return false;
    }
}
