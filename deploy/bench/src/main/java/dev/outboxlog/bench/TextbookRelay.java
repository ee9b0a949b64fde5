package dev.outboxlog.bench;

import dev.outboxlog.local.Lifeline;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A competitor: the outbox of most articles. Claims one row, publishes it, waits, marks it delivered, and takes the next. */
public final class TextbookRelay {

    private static final String CLAIM = """
            UPDATE outbox
            SET status = 'processing', locked_until = now() + interval '30 seconds', attempts = attempts + 1
            WHERE id = (
              SELECT id
              FROM outbox
              WHERE status = 'pending' OR status = 'processing' AND locked_until < now()
              ORDER BY position
              LIMIT 1
              FOR UPDATE SKIP LOCKED)
            RETURNING id, aggregate_id, convert_to(payload::text, 'UTF8')
            """;

    private static final String DELIVERED = """
            UPDATE outbox
            SET status = 'delivered', locked_until = NULL, delivered_at = now()
            WHERE id = ?
            """;

    private TextbookRelay() {}

    /** Arguments: bootstrap servers, topic, JDBC URL, user. Runs until it is stopped. */
    public static void main(String[] arguments) throws Exception {
        Lifeline.endWithParent();
        try (KafkaProducer<String, byte[]> producer = Producers.start(arguments[0], Producers.NO_LINGER);
                Connection connection = DriverManager.getConnection(arguments[2], arguments[3], null);
                PreparedStatement claim = connection.prepareStatement(CLAIM);
                PreparedStatement delivered = connection.prepareStatement(DELIVERED)) {
            producer.partitionsFor(arguments[1]);
            while (true) {
                try (ResultSet row = claim.executeQuery()) {
                    if (!row.next()) {
                        TimeUnit.MILLISECONDS.sleep(10);
                        continue;
                    }
                    producer.send(new ProducerRecord<>(arguments[1], row.getString(2), row.getBytes(3)))
                            .get();
                    delivered.setObject(1, row.getObject(1, UUID.class));
                    delivered.executeUpdate();
                }
            }
        }
    }
}
