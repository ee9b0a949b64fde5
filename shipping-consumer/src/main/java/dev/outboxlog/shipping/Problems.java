package dev.outboxlog.shipping;

import io.quarkiverse.resteasy.problem.HttpProblem;
import jakarta.ws.rs.core.Response.Status;
import java.net.URI;

/** Errors of this API as RFC 9457 problems with stable types. */
final class Problems {

    private static final String TYPE = "urn:outboxlog:problem:";

    private Problems() {}

    static HttpProblem shipmentNotFound(String orderId) {
        return problem(Status.NOT_FOUND, "shipment-not-found", "There is no such shipment")
                .withDetail("No event about this order has arrived, or it does not exist.")
                .with("orderId", orderId)
                .build();
    }

    static HttpProblem shipmentCancelled(String orderId) {
        return problem(Status.CONFLICT, "shipment-cancelled", "The shipment is cancelled")
                .withDetail("The order was cancelled before it was dispatched.")
                .with("orderId", orderId)
                .build();
    }

    /**
     * @param parameter of the query
     */
    static HttpProblem badParameter(String parameter, String detail) {
        return problem(Status.BAD_REQUEST, "bad-parameter", "A query parameter is not usable")
                .withDetail(detail)
                .with("parameter", parameter)
                .build();
    }

    private static HttpProblem.Builder problem(Status status, String type, String title) {
        return HttpProblem.builder()
                .withType(URI.create(TYPE + type))
                .withTitle(title)
                .withStatus(status);
    }
}
