package dev.outboxlog.inbox;

import dev.outboxlog.inbox.HoldActions.Result;
import io.quarkiverse.resteasy.problem.HttpProblem;
import io.smallrye.mutiny.Uni;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response.Status;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestPath;

/** Records that could not be applied, and what people do about them. For operators: not to be reachable from outside. */
@Path("/inbox")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.APPLICATION_JSON)
@Tag(name = "inbox", description = "For operators: records that could not be applied, and what to do about them")
public class InboxResource {

    private static final int USUAL = 50;
    private static final int MOST = 200;
    private static final Set<String> STATES = Set.of("held", "parked", "settled", "discarded");

    private final HoldDesk desk;
    private final HoldActions actions;

    InboxResource(HoldDesk desk, HoldActions actions) {
        this.desk = desk;
        this.actions = actions;
    }

    /**
     * What came of an action.
     *
     * @param changed false where there was nothing left to do
     */
    public record Answer(
            @Schema(description = "What became of the event, or how many were freed")
            String outcome,

            boolean changed) {}

    @GET
    @Path("/events")
    @Operation(summary = "Records on hold, oldest first, page by page")
    @APIResponse(responseCode = "200", description = "A page")
    @APIResponse(responseCode = "400", description = "A parameter is not usable")
    public Uni<HeldRecord.Page> list(
            @QueryParam("state") @Parameter(description = "held, parked, settled or discarded; parked where absent")
                    String state,
            @QueryParam("subject") @Parameter(description = "Only those of this aggregate") String subject,
            @QueryParam("type") @Parameter(description = "Only events of this type") String type,
            @QueryParam("reasonCode") @Parameter(description = "Only those with this reason") String reasonCode,
            @QueryParam("limit")
                    @Parameter(
                            description = "Items of a page",
                            schema =
                                    @Schema(
                                            type = SchemaType.INTEGER,
                                            minimum = "1",
                                            maximum = "200",
                                            defaultValue = "50"))
                    String limit,
            @QueryParam("after") @Parameter(description = "\"next\" of the page before") String after) {
        String wanted = state == null ? "parked" : state;
        if (!STATES.contains(wanted)) {
            throw badParameter("state", "It is one of held, parked, settled and discarded.");
        }
        var filter = new HoldDesk.Filter(
                wanted, storable("subject", subject), storable("type", type), storable("reasonCode", reasonCode));
        int size = (int) number("limit", limit, 1, MOST, USUAL);
        long last = number("after", after, 0, Long.MAX_VALUE, 0);
        return desk.list(filter, last, size + 1).map(found -> page(found, size));
    }

    private static HeldRecord.Page page(List<HeldRecord> found, int size) {
        if (found.size() <= size) {
            return new HeldRecord.Page(found, null);
        }
        List<HeldRecord> items = found.subList(0, size);
        return new HeldRecord.Page(items, Long.toString(items.get(size - 1).holdId()));
    }

    @GET
    @Path("/events/{holdId}")
    @Operation(summary = "One record with its bytes and its history")
    @APIResponse(responseCode = "200", description = "The record")
    @APIResponse(responseCode = "404", description = "There is no such record")
    public Uni<HeldRecord.Whole> get(@RestPath String holdId) {
        return desk.find(id(holdId)).map(found -> found.orElseThrow(InboxResource::notFound));
    }

    @POST
    @Path("/events/{holdId}/retry")
    @Operation(
            summary = "Offer a parked record again",
            description = "With what is held behind it. A record that is settled already stays as it is.")
    @APIResponse(responseCode = "200", description = "What became of it")
    @APIResponse(responseCode = "404", description = "There is no such record")
    @APIResponse(responseCode = "409", description = "It is refused again and stays parked")
    public Uni<Answer> retry(@RestPath String holdId, @Valid @NotNull Deed deed) {
        return actions.retry(id(holdId), deed).map(InboxResource::answer);
    }

    @POST
    @Path("/events/{holdId}/discard")
    @Operation(
            summary = "Give a record up for good",
            description = "Its event stays remembered, and what is held behind it stays held: see release.")
    @APIResponse(responseCode = "200", description = "It is discarded, or was settled already")
    @APIResponse(responseCode = "404", description = "There is no such record")
    public Uni<Answer> discard(@RestPath String holdId, @Valid @NotNull Deed deed) {
        return actions.discard(id(holdId), deed).map(InboxResource::answer);
    }

    @POST
    @Path("/subjects/{subject}/release")
    @Operation(
            summary = "Go on without the missing events of an aggregate",
            description = "The events before the first held one count as lost for good; what is held is applied.")
    @APIResponse(responseCode = "200", description = "How many were freed")
    @APIResponse(responseCode = "404", description = "Nothing is held of this aggregate")
    @APIResponse(responseCode = "409", description = "Its first event never came, so nothing can follow")
    public Uni<Answer> release(@RestPath String subject, @Valid @NotNull Deed deed) {
        if (subject.indexOf('\0') >= 0) {
            throw notFound();
        }
        return actions.release(subject, deed).map(InboxResource::answer);
    }

    private static Answer answer(Result result) {
        if (result instanceof Result.Done done) {
            return new Answer(done.outcome(), true);
        }
        if (result instanceof Result.Already already) {
            return new Answer(already.state(), false);
        }
        if (result instanceof Result.Refused refused) {
            throw problem(Status.CONFLICT, "retry-refused", "The event is refused again", refused.reason());
        }
        if (result instanceof Result.Impossible impossible) {
            throw problem(Status.CONFLICT, "release-impossible", "Nothing can be released", impossible.reason());
        }
        throw notFound();
    }

    private static long id(String text) {
        if (!text.matches("[0-9]{1,18}")) {
            throw notFound();
        }
        return Long.parseLong(text);
    }

    private static long number(String parameter, String text, long least, long most, long usual) {
        if (text == null) {
            return usual;
        }
        if (text.matches("[0-9]{1,18}") && Long.parseLong(text) >= least && Long.parseLong(text) <= most) {
            return Long.parseLong(text);
        }
        throw badParameter(
                parameter, "It is a number from " + least + (most == Long.MAX_VALUE ? "" : " to " + most) + ".");
    }

    private static String storable(String parameter, String text) {
        if (text != null && text.indexOf('\0') >= 0) {
            throw badParameter(parameter, "It is text without NUL.");
        }
        return text;
    }

    private static HttpProblem badParameter(String parameter, String detail) {
        return problem(
                Status.BAD_REQUEST, "bad-parameter", "A query parameter is not usable", parameter + ": " + detail);
    }

    private static HttpProblem notFound() {
        return problem(
                Status.NOT_FOUND,
                "hold-not-found",
                "There is no such record on hold",
                "It was freed, or it never was.");
    }

    private static HttpProblem problem(Status status, String type, String title, String detail) {
        return HttpProblem.builder()
                .withType(URI.create("urn:outboxlog:problem:" + type))
                .withTitle(title)
                .withStatus(status)
                .withDetail(detail)
                .build();
    }
}
