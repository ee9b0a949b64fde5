package dev.outboxlog.bench;

import dev.outboxlog.local.Lifeline;
import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.header.Header;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A competitor: Debezium's engine with its outbox event router. Publishes a batch pipelined, waits for its acknowledgements, and then says
 * that it is done; offsets go to disk once a second.
 */
public final class DebeziumRelay {

    /** The name of its publication. Its replication slot has that of the database, because slots are the whole server's. */
    static final String NAME = "bench";

    private DebeziumRelay() {}

    /** Arguments: bootstrap servers, topic, PostgreSQL's port, database, user, file for offsets, producer's linger in milliseconds. */
    public static void main(String[] arguments) {
        Logger.getLogger("").setLevel(Level.WARNING);
        KafkaProducer<String, byte[]> producer = Producers.start(arguments[0], Integer.parseInt(arguments[6]));
        DebeziumEngine<RecordChangeEvent<SourceRecord>> engine = DebeziumEngine.create(
                        ChangeEventFormat.of(Connect.class))
                .using(settings(arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]))
                .using((success, message, error) -> {
                    if (!success) {
                        System.out.println(message + " " + error);
                        Runtime.getRuntime().halt(3);
                    }
                })
                .notifying((batch, committer) -> publish(producer, batch, committer))
                .build();
        Lifeline.endWithParent();
        engine.run();
    }

    private static Properties settings(String topic, String port, String database, String user, String offsets) {
        Properties settings = new Properties();
        settings.put("name", NAME);
        settings.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        settings.put("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        settings.put("offset.storage.file.filename", offsets);
        settings.put("offset.flush.interval.ms", "1000");
        settings.put("database.hostname", "127.0.0.1");
        settings.put("database.port", port);
        settings.put("database.user", user);
        settings.put("database.password", user);
        settings.put("database.dbname", database);
        settings.put("topic.prefix", NAME);
        settings.put("plugin.name", "pgoutput");
        settings.put("slot.name", database);
        settings.put("publication.name", NAME);
        settings.put("publication.autocreate.mode", "disabled");
        settings.put("table.include.list", "public.outbox");
        settings.put("snapshot.mode", "no_data");
        settings.put("tombstones.on.delete", "false");
        settings.put("skipped.operations", "u,d,t");
        settings.put("max.batch.size", "8192");
        settings.put("max.queue.size", "32768");
        settings.put("poll.interval.ms", "10");
        settings.put("record.processing.threads", "2");
        settings.put("record.processing.order", "ORDERED");
        settings.put("transforms", "outbox");
        settings.put("transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter");
        settings.put("transforms.outbox.table.field.event.id", "id");
        settings.put("transforms.outbox.table.field.event.key", "aggregate_id");
        settings.put("transforms.outbox.table.field.event.payload", "payload");
        settings.put("transforms.outbox.route.by.field", "aggregate_type");
        settings.put("transforms.outbox.route.topic.replacement", topic);
        return settings;
    }

    private static void publish(
            KafkaProducer<String, byte[]> producer,
            List<RecordChangeEvent<SourceRecord>> batch,
            RecordCommitter<RecordChangeEvent<SourceRecord>> committer)
            throws InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>(batch.size());
        for (RecordChangeEvent<SourceRecord> event : batch) {
            // Heartbeats and transaction marks have no payload of the outbox.
            if (event.record().value() instanceof String payload) {
                sent.add(producer.send(record(event.record(), payload)));
            }
        }
        for (Future<RecordMetadata> one : sent) {
            try {
                one.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("the broker did not take an event", e);
            }
        }
        for (RecordChangeEvent<SourceRecord> event : batch) {
            committer.markProcessed(event);
        }
        committer.markBatchFinished();
    }

    private static ProducerRecord<String, byte[]> record(SourceRecord event, String payload) {
        var record =
                new ProducerRecord<>(event.topic(), (String) event.key(), payload.getBytes(StandardCharsets.UTF_8));
        Header id = event.headers().lastWithName("id");
        if (id != null) {
            record.headers().add("id", id.value().toString().getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }
}
