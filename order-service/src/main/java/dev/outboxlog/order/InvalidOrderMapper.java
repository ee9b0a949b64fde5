package dev.outboxlog.order;

import io.quarkiverse.resteasy.problem.ExceptionMapperBase;
import io.quarkiverse.resteasy.problem.HttpProblem;
import jakarta.ws.rs.ext.Provider;

/** An order that makes no sense is well-formed but cannot be processed. */
@Provider
public final class InvalidOrderMapper extends ExceptionMapperBase<InvalidOrderException> {

    private static final int UNPROCESSABLE_CONTENT = 422;

    @Override
    protected HttpProblem toProblem(InvalidOrderException exception) {
        return HttpProblem.builder()
                .withStatus(UNPROCESSABLE_CONTENT)
                .withTitle("Unprocessable Content")
                .withDetail(exception.getMessage())
                .with("field", exception.field())
                .build();
    }
}
