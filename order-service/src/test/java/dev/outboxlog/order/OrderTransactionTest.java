package dev.outboxlog.order;

import static dev.outboxlog.testing.Servers.DATABASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An order and its event exist together or not at all, wherever the transaction fails. */
@QuarkusTest
class OrderTransactionTest {

    private static final String EVERYTHING =
            "SELECT (SELECT count(*) FROM orders) || ' orders, ' || (SELECT count(*) FROM outbox) || ' events'";

    @AfterEach
    void mend() {
        change("DROP FUNCTION IF EXISTS test_fail() CASCADE");
    }

    @Test
    void whenTheCommitFailsThereIsNeitherOrderNorEvent() {
        // Given
        fail("CREATE CONSTRAINT TRIGGER test_fail AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW");
        String before = DATABASE.text(EVERYTHING);
        // When
        int status = Orders.place(Orders.VALID).statusCode();
        // Then
        assertThat(status).isEqualTo(500);
        assertThat(DATABASE.text(EVERYTHING)).isEqualTo(before);
    }

    @Test
    void whenTheEventCannotBeWrittenThereIsNoOrder() {
        // Given
        fail("CREATE TRIGGER test_fail BEFORE INSERT ON outbox_log FOR EACH ROW");
        String before = DATABASE.text(EVERYTHING);
        // When
        int status = Orders.place(Orders.VALID).statusCode();
        // Then
        assertThat(status).isEqualTo(500);
        assertThat(DATABASE.text(EVERYTHING)).isEqualTo(before);
    }

    @Test
    void whenTheOrderCannotBeWrittenThereIsNoEvent() {
        // Given
        fail("CREATE TRIGGER test_fail BEFORE INSERT ON orders FOR EACH ROW");
        String before = DATABASE.text(EVERYTHING);
        // When
        int status = Orders.place(Orders.VALID).statusCode();
        // Then
        assertThat(status).isEqualTo(500);
        assertThat(DATABASE.text(EVERYTHING)).isEqualTo(before);
    }

    @Test
    void aChangeThatFailsLeavesTheOrderAsItWas() {
        // Given
        String id = Orders.placed();
        fail("CREATE TRIGGER test_fail BEFORE INSERT ON outbox_log FOR EACH ROW");
        // When
        int status = Orders.cancel(id).statusCode();
        // Then
        assertThat(status).isEqualTo(500);
        assertThat(DATABASE.text("SELECT status || ' ' || version FROM orders WHERE id = ?::uuid", id))
                .isEqualTo("placed 1");
    }

    private static void fail(String trigger) {
        DATABASE.execute("""
                CREATE FUNCTION test_fail() RETURNS trigger LANGUAGE plpgsql
                AS $$BEGIN RAISE EXCEPTION 'injected'; END$$
                """);
        change(trigger + " EXECUTE FUNCTION test_fail()");
    }

    /** With the tables locked first and as a whole: taken one partition after the other, the locks can cross those of the relay. */
    private static void change(String statement) {
        DATABASE.execute("DO $do$BEGIN LOCK TABLE orders, outbox_log; " + statement + "; END$do$");
    }
}
