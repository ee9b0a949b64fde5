package dev.outboxlog.inbox;

import static dev.outboxlog.testing.OrdersTopic.addressChanged;
import static dev.outboxlog.testing.OrdersTopic.created;
import static dev.outboxlog.testing.OrdersTopic.newOrderId;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outboxlog.testing.OrdersTopic.Event;
import dev.outboxlog.testing.Service;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that nobody can use: each parks itself and stops nobody. */
@QuarkusTest
class PoisonTest {

    private static final byte[] MEGABYTE = "x".repeat(1_000_000).getBytes(UTF_8);

    private final Service service = new Service();

    @AfterEach
    void close() {
        service.close();
    }

    static Stream<Arguments> everyShapeOfABadRecord() {
        return Stream.of(
                shape("not JSON", "bad-data", event -> event.withValue("{\"orderId\":")),
                shape("more than one JSON value", "bad-data", event -> event.withValue("{} {}")),
                shape("JSON null", "bad-data", event -> event.withValue("null")),
                shape("a JSON list", "bad-data", event -> event.withValue("[]")),
                shape("empty value", "bad-data", event -> event.withValue("")),
                shape("a megabyte of nothing", "bad-data", event -> event.withValue(MEGABYTE)),
                shape("deeply nested", "bad-data", event -> event.withValue("[".repeat(100_000))),
                shape("data of another order", "bad-data", event -> event.withValue("{\"orderId\":\"other\"}")),
                shape(
                        "a required field missing",
                        "bad-data",
                        event -> event.withValue(new String(event.value(), UTF_8).replace("customerId", "customer"))),
                shape(
                        "a quantity of text",
                        "bad-data",
                        event -> event.withValue(
                                new String(event.value(), UTF_8).replace("\"quantity\":2", "\"quantity\":\"two\""))),
                shape(
                        "a quantity of zero",
                        "bad-data",
                        event -> event.withValue(
                                new String(event.value(), UTF_8).replace("\"quantity\":2", "\"quantity\":0"))),
                shape(
                        "a null among the lines",
                        "bad-data",
                        event -> event.withValue(
                                new String(event.value(), UTF_8).replace("\"lines\":[", "\"lines\":[null,"))),
                shape(
                        "NUL in a text",
                        "refused-by-database",
                        event -> event.withValue(
                                new String(event.value(), UTF_8).replace("Main Street", "Main\\u0000Street"))),
                shape(
                        "half a surrogate pair",
                        "refused-by-database",
                        event -> event.withValue(new String(event.value(), UTF_8).replace("c-1", "c\\u0000"))),
                shape("no value", "no-value", event -> event.withValue((byte[]) null)),
                shape("no id", "no-id", event -> event.withHeader("ce_id", null)),
                shape("an id that is no UUID", "bad-id", event -> event.withHeader("ce_id", "order-1")),
                shape("an id that is almost a UUID", "bad-id", event -> event.withHeader("ce_id", "1-1-1-1-1")),
                shape("two ids", "duplicate-header", event -> event.withAnother("ce_id", "order-1")),
                shape("two types", "duplicate-header", event -> event.withAnother("ce_type", "order.cancelled")),
                shape("another version", "bad-specversion", event -> event.withHeader("ce_specversion", "2.0")),
                shape("no version", "missing-header", event -> event.withHeader("ce_specversion", null)),
                shape("no type", "missing-header", event -> event.withHeader("ce_type", null)),
                shape("no source", "missing-header", event -> event.withHeader("ce_source", null)),
                shape("no subject", "missing-header", event -> event.withHeader("ce_subject", null)),
                shape("no sequence", "missing-header", event -> event.withHeader("ce_sequence", null)),
                shape("sequence zero", "bad-sequence", event -> event.withHeader("ce_sequence", "0")),
                shape("negative sequence", "bad-sequence", event -> event.withHeader("ce_sequence", "-1")),
                shape("huge sequence", "bad-sequence", event -> event.withHeader("ce_sequence", "9".repeat(30))),
                shape("NUL in the type", "bad-header", event -> event.withHeader("ce_type", "order\0created")),
                shape("a long type", "bad-header", event -> event.withHeader("ce_type", "t".repeat(10_000))),
                shape("a bad time", "bad-time", event -> event.withHeader("ce_time", "yesterday")),
                shape("not of JSON", "bad-content-type", event -> event.withHeader("content-type", "text/xml")),
                shape("another key", "wrong-key", event -> event.withHeader("ce_subject", "another-order")));
    }

    private static Arguments shape(String name, String code, UnaryOperator<Event> breaking) {
        return arguments(name, code, breaking);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("everyShapeOfABadRecord")
    void a_bad_record_is_parked_with_its_bytes_and_its_neighbours_go_through(
            String name, String code, UnaryOperator<Event> breaking) {
        // Given
        String before = newOrderId();
        String bad = newOrderId();
        Event poison = breaking.apply(created(bad)).withKey(bad.getBytes(UTF_8));

        // When
        List<RecordMetadata> sent = service.topic()
                .send(
                        created(before).withKey(before.getBytes(UTF_8)),
                        poison,
                        addressChanged(before, 2, "After the poison"));

        // Then
        RecordMetadata place = sent.get(1);
        await().atMost(Service.SOON)
                .untilAsserted(() -> assertThat(service.onHold(place.partition(), place.offset()))
                        .singleElement()
                        .satisfies(row -> {
                            assertThat(row).containsEntry("state", "parked").containsEntry("reason_code", code);
                            assertThat((byte[]) row.get("record_value")).isEqualTo(poison.value());
                            assertThat((byte[]) row.get("record_key")).isEqualTo(poison.key());
                        }));
        service.awaitVersion(before, 2);
        assertThat(service.version(bad)).isZero();
    }

    @Test
    void a_record_without_a_key_is_parked() {
        // Given
        String orderId = newOrderId();

        // When
        RecordMetadata place =
                service.topic().send(created(orderId).withKey(null)).get(0);

        // Then
        await().atMost(Service.SOON)
                .untilAsserted(() -> assertThat(service.onHold(place.partition(), place.offset()))
                        .singleElement()
                        .satisfies(row -> assertThat(row).containsEntry("reason_code", "wrong-key")));
    }

    @Test
    void the_same_poison_sent_three_times_is_parked_once() {
        // Given
        String orderId = newOrderId();
        Event poison = created(orderId).withValue("not JSON");

        // When
        service.topic().send(poison, poison, poison);

        // Then
        service.awaitOutcome(poison, "parked");
        assertThat(service.database().count("SELECT count(*) FROM inbox_hold WHERE event_id = ?", poison.id()))
                .isEqualTo(1);
    }

    @Test
    void an_event_that_follows_a_parked_one_of_its_order_waits_for_it() {
        // Given
        String orderId = newOrderId();
        Event poison = addressChanged(orderId, 2, "Second").withValue("not JSON");
        Event next = addressChanged(orderId, 3, "Third");

        // When
        service.topic().send(created(orderId), poison, next);

        // Then
        service.awaitOutcome(poison, "parked");
        service.awaitOutcome(next, "held");
        assertThat(service.version(orderId)).isEqualTo(1);
    }

    @Test
    void a_unique_violation_elsewhere_is_an_error_and_no_duplicate() {
        // Given
        String first = newOrderId();
        String second = newOrderId();
        String third = newOrderId();
        service.database()
                .execute(
                        "CREATE UNIQUE INDEX one_per_customer ON shipments (customer_id) WHERE customer_id LIKE 'only-%'");
        UnaryOperator<Event> ofOneCustomer =
                event -> event.withValue(new String(event.value(), UTF_8).replace("c-1", "only-" + first));
        Event culprit = ofOneCustomer.apply(created(second));
        service.topic().send(ofOneCustomer.apply(created(first)));
        service.awaitVersion(first, 1);

        // When
        service.topic().send(culprit, created(third));

        // Then
        service.awaitOutcome(culprit, "parked");
        service.awaitVersion(third, 1);
        assertThat(service.version(second)).isZero();
        Map<String, Object> parked = service.database()
                .rows("SELECT reason_code, reason FROM inbox_hold WHERE event_id = ?", culprit.id())
                .get(0);
        assertThat(parked).containsEntry("reason_code", "refused-by-database");
        assertThat(parked.get("reason").toString()).contains("23505").contains("one_per_customer");
        service.database().execute("DROP INDEX one_per_customer");
    }
}
