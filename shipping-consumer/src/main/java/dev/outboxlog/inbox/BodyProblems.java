package dev.outboxlog.inbox;

import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import io.quarkiverse.resteasy.problem.HttpProblem;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Bodies of the wrong shape as 400 with a pointer to the place; by default they are answered without a body. */
class BodyProblems {

    @ServerExceptionMapper
    public Response mismatch(MismatchedInputException failure) {
        return HttpProblem.builder()
                .withType(URI.create("urn:outboxlog:problem:bad-body"))
                .withTitle("The body is not of the expected shape")
                .withStatus(Response.Status.BAD_REQUEST)
                .with(
                        "errors",
                        List.of(Map.of("pointer", pointer(failure.getPath()), "detail", "It is not expected here.")))
                .build()
                .toResponse();
    }

    /** A JSON Pointer (RFC 6901). */
    private static String pointer(List<Reference> path) {
        StringBuilder pointer = new StringBuilder();
        for (Reference step : path) {
            String name = step.getFieldName() == null ? Integer.toString(step.getIndex()) : step.getFieldName();
            pointer.append('/').append(name.replace("~", "~0").replace("/", "~1"));
        }
        return pointer.toString();
    }
}
