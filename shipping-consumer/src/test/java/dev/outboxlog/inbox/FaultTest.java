package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.addressChanged;
import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outboxlog.testing.OrdersTopic.Event;
import dev.outboxlog.testing.Service;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.Liveness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of the database that are not the events' own: nothing is parked, nothing is lost, nothing has two effects. */
@QuarkusTest
class FaultTest {

    @Inject
    MeterRegistry registry;

    @Inject
    @Liveness
    InboxLiveness liveness;

    private final Service service = new Service();

    @AfterEach
    void close() {
        service.database().execute("DROP TRIGGER IF EXISTS t_fail ON shipments");
        service.database().execute("DROP FUNCTION IF EXISTS t_fail()");
        service.database().execute("DROP SEQUENCE IF EXISTS t_fail");
        service.close();
    }

    private double retried(FailureClass failureClass) {
        return registry.get(InboxMetrics.RETRIED)
                .tag("class", failureClass.tag())
                .counter()
                .count();
    }

    private double duplicates() {
        return registry.get(InboxMetrics.EVENTS)
                .tag("outcome", "duplicate")
                .counter()
                .count();
    }

    private void awaitSomebodyWaitingForALock() {
        await().atMost(Service.SOON)
                .until(() -> service.database()
                                .count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                        + " AND datname = 'shipping'")
                        > 0);
    }

    private void assertNothingOnHold(String orderId) {
        assertThat(service.database().count("SELECT count(*) FROM inbox_hold WHERE subject = ?", orderId))
                .isZero();
    }

    /** The sequence counts attempts: it is not rolled back. */
    private void failThreeTimesWith(String state) {
        service.database().execute("CREATE SEQUENCE t_fail");
        service.database().execute("""
                        CREATE FUNCTION t_fail() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF nextval('t_fail') <= 3 THEN
                                RAISE EXCEPTION 'injected' USING ERRCODE = '%s';
                            END IF;
                            RETURN NULL;
                        END
                        $$""".formatted(state));
        service.database()
                .execute("CREATE TRIGGER t_fail AFTER INSERT ON shipments FOR EACH ROW EXECUTE FUNCTION t_fail()");
    }

    @Test
    void a_table_that_is_locked_for_long_delays_events_and_parks_none() {
        // Given
        String orderId = newOrderId();
        double before = retried(FailureClass.TIMEOUT);
        service.database().begin();
        service.database().execute("LOCK TABLE shipments");

        // When
        service.topic().send(created(orderId), addressChanged(orderId, 2, "Second"));
        await().atMost(Service.SOON).until(() -> retried(FailureClass.TIMEOUT) >= before + 3);
        assertThat(liveness.call().getStatus().name()).isEqualTo("UP");
        service.database().commit();

        // Then
        service.awaitVersion(orderId, 2);
        assertNothingOnHold(orderId);
    }

    @Test
    void an_event_that_somebody_else_is_about_to_remember_is_a_duplicate_when_they_commit() {
        // Given
        String orderId = newOrderId();
        Event created = created(orderId);
        double before = duplicates();
        service.database().begin();
        service.database().execute("INSERT INTO processed_events (event_id) VALUES (?)", created.id());

        // When
        service.topic().send(created);
        awaitSomebodyWaitingForALock();
        service.database().commit();

        // Then
        await().atMost(Service.SOON)
                .untilAsserted(() -> assertThat(duplicates()).isEqualTo(before + 1));
        assertThat(service.version(orderId)).isZero();
        assertNothingOnHold(orderId);
    }

    @Test
    void an_event_that_somebody_else_was_about_to_remember_is_applied_when_they_roll_back() {
        // Given
        String orderId = newOrderId();
        Event created = created(orderId);
        service.database().begin();
        service.database().execute("INSERT INTO processed_events (event_id) VALUES (?)", created.id());

        // When
        service.topic().send(created);
        awaitSomebodyWaitingForALock();
        service.database().rollback();

        // Then
        service.awaitVersion(orderId, 1);
        service.awaitOutcome(created, "applied");
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "57014", "53100", "25006", "55P03", "08006", "58030", "42501", "XX000"})
    void a_failure_that_is_not_the_events_own_is_tried_again_until_it_works(String state) {
        // Given
        String orderId = newOrderId();
        double before = retried(FailureClass.ofSqlState(state));
        failThreeTimesWith(state);

        // When
        service.topic().send(created(orderId));

        // Then
        service.awaitVersion(orderId, 1);
        assertNothingOnHold(orderId);
        assertThat(retried(FailureClass.ofSqlState(state))).isEqualTo(before + 3);
    }

    /** The client takes this state for the end of the session, and the answer to the statement gets lost. */
    @Test
    void an_answer_that_never_comes_is_given_up_and_the_batch_is_tried_again() {
        // Given
        String orderId = newOrderId();
        failThreeTimesWith("57P01");

        // When
        service.topic().send(created(orderId));

        // Then
        service.awaitVersion(orderId, 1);
        assertNothingOnHold(orderId);
    }

    @Test
    void sessions_that_the_database_ends_are_replaced_and_nothing_is_parked() {
        // Given
        String orderId = newOrderId();
        service.database().begin();
        service.database().execute("LOCK TABLE shipments");
        service.topic().send(created(orderId), addressChanged(orderId, 2, "Second"));
        awaitSomebodyWaitingForALock();

        // When
        service.database()
                .execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'shipping'"
                        + " AND pid <> pg_backend_pid()");
        service.database().commit();

        // Then
        service.awaitVersion(orderId, 2);
        assertNothingOnHold(orderId);
    }
}
