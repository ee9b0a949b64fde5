package dev.outboxlog.inbox;

import io.quarkiverse.resteasy.problem.HttpProblem;
import io.vertx.core.VertxException;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.pgclient.PgException;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Failures of the database as answers over HTTP: 503 for what heals by itself, 500 for the rest, never with the database's words. */
class DatabaseProblems {

    private static final Logger LOG = Logger.getLogger(DatabaseProblems.class);
    private static final String RETRY_AFTER_SECONDS = "5";

    @ServerExceptionMapper
    public Response refused(PgException failure) {
        return answer(failure);
    }

    @ServerExceptionMapper
    public Response disconnected(VertxException failure) {
        return answer(failure);
    }

    @ServerExceptionMapper
    public Response disconnected(IOException failure) {
        return answer(failure);
    }

    @ServerExceptionMapper
    public Response tooLate(TimeoutException failure) {
        return answer(failure);
    }

    @ServerExceptionMapper
    public Response tooLate(NoStackTraceThrowable failure) {
        return answer(failure);
    }

    private static Response answer(Throwable failure) {
        FailureClass failureClass = FailureClass.of(failure);
        LOG.warnf(
                "request failed in the database: class=%s cause=%s",
                failureClass.tag(), failure.getClass().getName());
        boolean heals = failureClass.isTransient() && failureClass != FailureClass.ENVIRONMENT;
        HttpProblem.Builder problem = heals
                ? HttpProblem.builder()
                        .withType(URI.create("urn:outboxlog:problem:database-unavailable"))
                        .withTitle("The database does not answer in time")
                        .withStatus(Response.Status.SERVICE_UNAVAILABLE)
                        .withHeader("Retry-After", RETRY_AFTER_SECONDS)
                : HttpProblem.builder()
                        .withType(URI.create("urn:outboxlog:problem:internal"))
                        .withTitle("The request failed here")
                        .withStatus(Response.Status.INTERNAL_SERVER_ERROR);
        return problem.build().toResponse();
    }
}
