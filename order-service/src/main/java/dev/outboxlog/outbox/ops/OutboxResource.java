package dev.outboxlog.outbox.ops;

import io.smallrye.mutiny.Uni;
import io.vertx.pgclient.PgException;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.SchemaType;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestPath;

/** What operators see of the outbox. Not to be reachable from outside. */
@Path("/outbox")
@Produces(MediaType.APPLICATION_JSON)
@Tag(name = "outbox", description = "For operators: what waits, why, and what to do about it")
class OutboxResource {

    private static final int USUAL = 50;
    private static final int MOST = 200;
    private static final String TIMED_OUT = "57014";

    private final StatsRepository stats;
    private final EventSearch search;
    private final EventHistory history;

    OutboxResource(StatsRepository stats, EventSearch search, EventHistory history) {
        this.stats = stats;
        this.search = search;
        this.history = history;
    }

    @GET
    @Path("/stats")
    @Operation(
            summary = "The outbox at a glance",
            description = "Every count has a bound: the cost does not grow with the outbox.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = OutboxStats.class)))
    public Uni<OutboxStats> stats() {
        return stats.read();
    }

    @GET
    @Path("/events")
    @Operation(
            summary = "Events, newest first, page by page",
            description = "Events that are appended meanwhile are not on later pages.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = EventView.Page.class)))
    @APIResponse(responseCode = "400", description = "A parameter is not usable; the problem names it.")
    @APIResponse(responseCode = "422", description = "The values do not go together, or the search takes too long.")
    public Uni<EventView.Page> list(
            @QueryParam("status")
                    @Parameter(
                            description =
                                    "pending, processing, delivered, retrying, blocked, parked or discarded; all where absent")
                    String status,
            @QueryParam("topic") @Parameter(description = "Only events of this topic") String topic,
            @QueryParam("type") @Parameter(description = "Only events of this type") String type,
            @QueryParam("aggregateId") @Parameter(description = "Only events of this aggregate") String aggregateId,
            @QueryParam("createdFrom") @Parameter(description = "Only events appended from this time on (RFC 3339)")
                    String createdFrom,
            @QueryParam("createdTo") @Parameter(description = "Only events appended before this time (RFC 3339)")
                    String createdTo,
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
        EventFilter filter = EventFilter.of(status, topic, type, aggregateId, createdFrom, createdTo);
        PageToken token = after == null
                ? PageToken.START
                : PageToken.decoded(after)
                        .orElseThrow(() -> Problems.badParameter("after", "It is not a token of an earlier page."));
        return search.list(filter, token, limit(limit))
                .onFailure(OutboxResource::tookTooLong)
                .transform(failure -> Problems.searchTooSlow());
    }

    @GET
    @Path("/events/{id}")
    @Operation(summary = "One event with its payload and all that became of it")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = EventView.History.class)))
    @APIResponse(responseCode = "404", description = "There is no such event.")
    public Uni<EventView.History> get(@RestPath String id) {
        return history.find(Texts.uuid(id).orElseThrow(Problems::eventNotFound))
                .map(found -> found.orElseThrow(Problems::eventNotFound));
    }

    @GET
    @Path("/actions")
    @Operation(summary = "What people did, newest first, page by page")
    @APIResponse(
            responseCode = "200",
            content = @Content(schema = @Schema(implementation = EventView.Action.Page.class)))
    @APIResponse(responseCode = "400", description = "A parameter is not usable; the problem names it.")
    public Uni<EventView.Action.Page> actions(
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
        if (after != null && !after.matches("[0-9]{1,18}")) {
            throw Problems.badParameter("after", "It is not a token of an earlier page.");
        }
        int size = limit(limit);
        long before = after == null ? Long.MAX_VALUE : Long.parseLong(after);
        return history.actions(before, size + 1).map(found -> page(found, size));
    }

    private static EventView.Action.Page page(List<EventView.Action> found, int size) {
        if (found.size() <= size) {
            return new EventView.Action.Page(found, null);
        }
        List<EventView.Action> items = found.subList(0, size);
        return new EventView.Action.Page(
                items, Long.toString(items.get(size - 1).actionId()));
    }

    private static int limit(String text) {
        if (text == null) {
            return USUAL;
        }
        if (text.matches("[0-9]{1,3}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= MOST) {
            return Integer.parseInt(text);
        }
        throw Problems.badParameter("limit", "It is a number from 1 to " + MOST + ".");
    }

    static boolean tookTooLong(Throwable failure) {
        return failure instanceof PgException refused && TIMED_OUT.equals(refused.getSqlState());
    }
}
