package dev.outboxlog.order;

import dev.outboxlog.outbox.EventTooLargeException;
import io.quarkiverse.resteasy.problem.ExceptionMapperBase;
import io.quarkiverse.resteasy.problem.HttpProblem;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.Provider;

/** An order whose event no broker would take is refused while the client is still there to hear of it. */
@Provider
public final class EventTooLargeMapper extends ExceptionMapperBase<EventTooLargeException> {

    @Override
    protected HttpProblem toProblem(EventTooLargeException exception) {
        return HttpProblem.valueOf(
                Response.Status.REQUEST_ENTITY_TOO_LARGE,
                "the order's event has " + exception.bytes() + " bytes, more than the " + exception.limit()
                        + " allowed");
    }
}
