package dev.outboxlog.http;

import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import io.quarkiverse.resteasy.problem.ExceptionMapperBase;
import io.quarkiverse.resteasy.problem.HttpProblem;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.Provider;

/** Values of a wrong type: Quarkus' own answer has no body. {@link MalformedJson} says what is wrong. */
@Provider
@Priority(Priorities.USER - 1)
public final class MismatchedInputMapper extends ExceptionMapperBase<MismatchedInputException> {

    @Override
    protected HttpProblem toProblem(MismatchedInputException exception) {
        return HttpProblem.valueOf(Response.Status.BAD_REQUEST);
    }
}
