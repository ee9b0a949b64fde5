package dev.outboxlog.http;

import io.quarkiverse.resteasy.problem.HttpProblem;
import io.quarkus.runtime.configuration.MemorySize;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Tells a client whose body is too large so in a problem. Quarkus refuses such a body as well, but without a word. Nothing of the body is
 * read.
 */
@ApplicationScoped
class BodyLimit {

    private static final int REQUEST_ENTITY_TOO_LARGE = 413;

    private final long limit;

    BodyLimit(@ConfigProperty(name = "quarkus.http.limits.max-body-size") MemorySize limit) {
        this.limit = limit.asLongValue();
    }

    void register(@Observes Router router) {
        // The place of Quarkus' own check; of two routes with one order, the one that was there first is asked first.
        router.route().order(Integer.MIN_VALUE).handler(this::check);
    }

    private void check(RoutingContext request) {
        String length = request.request().getHeader("Content-Length");
        if (length == null || Long.parseLong(length) <= limit) {
            request.next();
            return;
        }
        JsonObject problem = new JsonObject()
                .put("status", REQUEST_ENTITY_TOO_LARGE)
                .put("title", "Request Entity Too Large")
                .put("detail", "the body has " + length + " bytes, more than the " + limit + " allowed");
        request.response()
                .setStatusCode(REQUEST_ENTITY_TOO_LARGE)
                .putHeader("Content-Type", HttpProblem.MEDIA_TYPE.toString())
                // The rest of the body would be taken for the next request.
                .putHeader("Connection", "close")
                .end(problem.toBuffer());
    }
}
