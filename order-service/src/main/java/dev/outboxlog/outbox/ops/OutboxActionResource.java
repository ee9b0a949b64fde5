package dev.outboxlog.outbox.ops;

import io.smallrye.mutiny.Uni;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestPath;

/** What operators do to the outbox. Not to be reachable from outside. */
@Path("/outbox")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.APPLICATION_JSON)
@Tag(name = "outbox")
class OutboxActionResource {

    private final Desk desk;
    private final Replays replays;

    OutboxActionResource(Desk desk, Replays replays) {
        this.desk = desk;
        this.replays = replays;
    }

    /**
     * What came of an action.
     *
     * @param changed false where there was nothing left to do
     */
    @Schema(name = "OutboxAnswer")
    record Answer(
            @Schema(description = "What became of what was named")
            String outcome,

            boolean changed,

            @Schema(description = "How many events, or pauses, it changed")
            int affected) {}

    @POST
    @Path("/events/{id}/retry")
    @Operation(
            summary = "Try an event on hold at once",
            description =
                    "The oldest of its aggregate goes first; those behind it follow. One that is delivered stays as it is.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = Answer.class)))
    @APIResponse(responseCode = "404", description = "There is no such event.")
    @APIResponse(responseCode = "409", description = "An earlier event must go first, or a pause is in force.")
    public Uni<Answer> retry(@RestPath String id, @Valid @NotNull Deed deed) {
        return desk.retry(Texts.uuid(id).orElseThrow(Problems::eventNotFound), deed)
                .map(result -> answer(result, null));
    }

    @POST
    @Path("/events/{id}/discard")
    @Operation(
            summary = "Give an event on hold up for good",
            description =
                    "It is kept, and never sent; what waits behind it goes on. A replay just ends: its event is delivered"
                            + " again. What is in flight at this moment may be delivered all the same, and then says so.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = Answer.class)))
    @APIResponse(responseCode = "404", description = "There is no such event.")
    public Uni<Answer> discard(@RestPath String id, @Valid @NotNull Deed deed) {
        return desk.discard(Texts.uuid(id).orElseThrow(Problems::eventNotFound), deed)
                .map(result -> answer(result, null));
    }

    @POST
    @Path("/aggregates/{aggregateId}/retry")
    @Operation(summary = "Try all that is parked of an aggregate at once, in order")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = Answer.class)))
    @APIResponse(responseCode = "404", description = "Nothing of this aggregate is on hold.")
    @APIResponse(responseCode = "409", description = "A pause is in force.")
    public Uni<Answer> retryAggregate(@RestPath String aggregateId, @Valid @NotNull Deed deed) {
        if (!Texts.isStorable(aggregateId)) {
            throw Problems.nothingOnHold("?");
        }
        return desk.retryAggregate(aggregateId, deed).map(result -> answer(result, aggregateId));
    }

    @POST
    @Path("/retry")
    @Operation(
            summary = "Try all parked events of a topic or of a kind of failure at once",
            description = "In order within each aggregate. Without a filter: all that are parked.")
    @APIResponse(
            responseCode = "200",
            content = @Content(schema = @Schema(implementation = ParkedEvents.Retried.class)))
    public Uni<ParkedEvents.Retried> retryMany(@Valid @NotNull RetryOrder order) {
        return desk.retryMany(order);
    }

    @POST
    @Path("/pause")
    @Operation(
            summary = "Let nothing leave: of all, of a lane, of a topic or of an aggregate",
            description =
                    "What a relay has claimed before may still leave, at most half a lease later. Events of a paused topic"
                            + " or aggregate wait as blocked; others of their lanes flow.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = Answer.class)))
    @APIResponse(responseCode = "422", description = "The target does not go with the scope.")
    public Uni<Answer> pause(@Valid @NotNull PauseOrder order) {
        order.check();
        return desk.pause(order).map(result -> answer(result, null));
    }

    @POST
    @Path("/resume")
    @Operation(summary = "End a pause", description = "What has waited follows in order.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = Answer.class)))
    @APIResponse(responseCode = "422", description = "The target does not go with the scope.")
    public Uni<Answer> resume(@Valid @NotNull PauseOrder order) {
        order.check();
        return desk.resume(order).map(result -> answer(result, null));
    }

    @POST
    @Path("/replay")
    @Operation(
            summary = "Send delivered events once more, with the same ids and bytes",
            description =
                    "By ids, of an aggregate, or of a time. Those of an aggregate go in order, and its new events wait behind"
                            + " them. Consumers that remember the ids skip them.")
    @APIResponse(responseCode = "200", content = @Content(schema = @Schema(implementation = Replays.Replayed.class)))
    @APIResponse(
            responseCode = "422",
            description =
                    "The events are not named in one way, are too many, or consumers may have forgotten their ids.")
    public Uni<Replays.Replayed> replay(@Valid @NotNull ReplayOrder order) {
        return replays.replay(order)
                .onFailure(OutboxResource::tookTooLong)
                .transform(failure -> Problems.searchTooSlow());
    }

    private static Answer answer(Result result, String aggregateId) {
        if (result instanceof Result.Done done) {
            return new Answer(done.outcome(), true, done.affected());
        }
        if (result instanceof Result.Already already) {
            return new Answer(already.outcome(), false, 0);
        }
        if (result instanceof Result.Behind behind) {
            throw Problems.behind(behind.firstEventId());
        }
        if (result instanceof Result.Paused paused) {
            throw Problems.paused(paused.scope(), paused.target());
        }
        throw aggregateId == null ? Problems.eventNotFound() : Problems.nothingOnHold(aggregateId);
    }
}
