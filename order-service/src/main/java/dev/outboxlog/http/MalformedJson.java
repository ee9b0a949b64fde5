package dev.outboxlog.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.quarkiverse.resteasy.problem.HttpProblem;
import io.quarkiverse.resteasy.problem.postprocessing.ProblemContext;
import io.quarkiverse.resteasy.problem.postprocessing.ProblemPostProcessor;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Says of a body that cannot be read what is wrong and where, in the words of JSON and without a Java name. */
@ApplicationScoped
class MalformedJson implements ProblemPostProcessor {

    @Override
    public HttpProblem apply(HttpProblem problem, ProblemContext context) {
        return cause(context.cause).map(fault -> describe(problem, fault)).orElse(problem);
    }

    private static Optional<JsonProcessingException> cause(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof JsonProcessingException fault) {
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }

    /** The problem for a body that is not what was expected. */
    static HttpProblem describe(HttpProblem problem, JsonProcessingException fault) {
        var described = HttpProblem.builder()
                .withStatus(problem.getStatus())
                .withTitle(problem.getTitle())
                .withInstance(problem.getInstance())
                .withDetail(detail(fault));
        field(fault).ifPresent(field -> described.with("field", field));
        return described.build();
    }

    private static String detail(JsonProcessingException fault) {
        if (fault instanceof UnrecognizedPropertyException unknown) {
            return "there is no field '" + unknown.getPropertyName() + "' here";
        }
        if (fault instanceof MismatchedInputException mismatch) {
            return "the value must be " + kind(mismatch.getTargetType());
        }
        JsonLocation location = fault.getLocation();
        return location == null
                ? "the body is not valid JSON"
                : "the body is not valid JSON at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    private static String kind(Class<?> expected) {
        if (expected == null) {
            return "of another type";
        }
        if (expected == String.class) {
            return "a text";
        }
        if (expected == boolean.class || expected == Boolean.class) {
            return "true or false";
        }
        if (Number.class.isAssignableFrom(expected) || expected.isPrimitive()) {
            return "a whole number";
        }
        return Collection.class.isAssignableFrom(expected) ? "a list" : "an object";
    }

    private static Optional<String> field(JsonProcessingException fault) {
        StringBuilder path = new StringBuilder();
        if (fault instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
            List<JsonMappingException.Reference> references = mapping.getPath();
            references.forEach(reference -> append(path, reference.getFieldName(), reference.getIndex()));
        } else if (fault.getProcessor() instanceof JsonParser parser) {
            append(path, parser.getParsingContext());
        }
        return path.isEmpty() ? Optional.empty() : Optional.of(path.toString());
    }

    private static void append(StringBuilder path, JsonStreamContext context) {
        if (context == null) {
            return;
        }
        append(path, context.getParent());
        if (context.inObject() && context.hasCurrentName()) {
            append(path, context.getCurrentName(), -1);
        } else if (context.inArray()) {
            append(path, null, context.getCurrentIndex());
        }
    }

    private static void append(StringBuilder path, String name, int index) {
        if (name == null) {
            path.append('[').append(Math.max(index, 0)).append(']');
        } else {
            path.append(path.isEmpty() ? "" : ".").append(name);
        }
    }
}
