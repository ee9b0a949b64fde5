package dev.outboxlog.inbox;

import dev.outboxlog.inbox.Abort.AbortedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jboss.logging.Logger;

/**
 * The life of one Kafka consumer. Confined to the loop's thread, the callbacks of a rebalance included: they run inside its polls.
 *
 * <p>One batch is in hand at a time. While the worker settles it, this thread goes on polling with all partitions paused, so that
 * the group keeps its member however long the database is away. Offsets are committed after the database's commit and never
 * before. A batch that was given up ends the session: the next one reads it again.
 */
final class ConsumerSession implements ConsumerRebalanceListener, AutoCloseable {

    private static final Logger LOG = Logger.getLogger(ConsumerSession.class);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration KEEP_ALIVE = Duration.ofMillis(250);
    private static final Duration MAINTENANCE = Duration.ofHours(1);
    private static final Duration CLOSE = Duration.ofSeconds(3);

    private final Consumer<byte[], byte[]> consumer;
    private final BatchProcessor processor;
    private final ExecutorService worker;
    private final Progress progress;
    private final InboxMetrics metrics;
    private final InboxConfig config;
    private final Stop stop;

    private final Map<TopicPartition, OffsetAndMetadata> uncommitted = new HashMap<>();
    private InHand inHand;
    private boolean givenUp;
    private long nextMaintenance = System.nanoTime();
    private long nextSweep = System.nanoTime();

    ConsumerSession(
            Consumer<byte[], byte[]> consumer,
            BatchProcessor processor,
            ExecutorService worker,
            Progress progress,
            InboxMetrics metrics,
            InboxConfig config,
            Stop stop) {
        this.consumer = consumer;
        this.processor = processor;
        this.worker = worker;
        this.progress = progress;
        this.metrics = metrics;
        this.config = config;
        this.stop = stop;
    }

    /** Work that the worker has. The offsets are empty for work that did not come from Kafka. */
    private record InHand(Future<?> done, Abort abort, Map<TopicPartition, OffsetAndMetadata> next, int records) {}

    /** Work for the worker. */
    private interface Work {
        void run(Abort abort) throws InterruptedException;
    }

    /** Consumes until it is told to stop; then what is in hand is finished and committed, or given up when that takes too long. */
    void run() throws InterruptedException {
        consumer.subscribe(List.of(config.topic()), this);
        while (!stop.requested()) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            if (!records.isEmpty()) {
                handle(records);
            } else if (System.nanoTime() - nextSweep >= 0) {
                finish(start(abort -> processor.sweep(abort), Map.of(), 0));
                nextSweep = System.nanoTime() + config.holds().sweepInterval().toNanos();
            }
            if (!consumer.assignment().isEmpty() && System.nanoTime() - nextMaintenance >= 0) {
                boolean caughtUp = groupHasRead(Instant.now().minus(config.dedupWindow()));
                finish(start(abort -> processor.maintain(caughtUp, abort), Map.of(), 0));
                nextMaintenance = System.nanoTime() + MAINTENANCE.toNanos();
            }
            commit();
            progress.lag(lag());
        }
    }

    private void handle(ConsumerRecords<byte[], byte[]> records) throws InterruptedException {
        long begin = System.nanoTime();
        List<Delivery> batch = new ArrayList<>(records.count());
        records.forEach(record -> batch.add(Delivery.of(RawRecord.of(record))));
        finish(start(abort -> processor.process(batch, abort), records.nextOffsets(), batch.size()));
        metrics.batchDone(Duration.ofNanos(System.nanoTime() - begin));
        progress.advanced();
    }

    private InHand start(Work work, Map<TopicPartition, OffsetAndMetadata> next, int records) {
        Abort abort = new Abort();
        Future<?> done = worker.submit(() -> {
            work.run(abort);
            return null;
        });
        inHand = new InHand(done, abort, next, records);
        progress.lag(lag());
        return inHand;
    }

    /** Waits for the worker without leaving the group. */
    private void finish(InHand work) throws InterruptedException {
        boolean paused = false;
        while (inHand == work && !endedWithin(work, KEEP_ALIVE)) {
            if (stop.requested() && stop.isOverdue()) {
                giveUp();
                break;
            }
            if (!paused) {
                consumer.pause(consumer.assignment());
                paused = true;
            }
            if (!consumer.poll(Duration.ZERO).isEmpty()) {
                throw new IllegalStateException("a paused partition brought records");
            }
        }
        if (inHand == work) {
            keepOffsets();
        }
        if (givenUp) {
            throw new AbortedException();
        }
        if (paused) {
            consumer.resume(consumer.paused());
        }
    }

    /** Whether the work has ended; its failure is this thread's. */
    private static boolean endedWithin(InHand work, Duration patience) throws InterruptedException {
        try {
            work.done().get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : new IllegalStateException("the worker failed", e.getCause());
        }
    }

    private void keepOffsets() {
        uncommitted.putAll(inHand.next());
        inHand = null;
    }

    private void giveUp() {
        LOG.warnf("work in hand given up, it will be delivered again: records=%d", inHand.records());
        inHand.abort().request();
        inHand = null;
        givenUp = true;
    }

    private void commit() {
        if (uncommitted.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(uncommitted);
            uncommitted.clear();
        } catch (RebalanceInProgressException e) {
            LOG.debug("offsets wait for the end of the rebalance", e);
        }
    }

    /** Whether the whole group, and not only this member, has committed past everything that was published before a moment. */
    private boolean groupHasRead(Instant before) {
        List<TopicPartition> all = consumer.partitionsFor(config.topic()).stream()
                .map(info -> new TopicPartition(info.topic(), info.partition()))
                .toList();
        Map<TopicPartition, Long> moments = new HashMap<>();
        all.forEach(partition -> moments.put(partition, before.toEpochMilli()));
        Map<TopicPartition, OffsetAndTimestamp> younger = consumer.offsetsForTimes(moments);
        Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(new HashSet<>(all));
        return all.stream().allMatch(partition -> {
            OffsetAndTimestamp first = younger.get(partition);
            long needed = first == null ? ends.get(partition) : first.offset();
            OffsetAndMetadata reached = committed.get(partition);
            return needed == 0 || reached != null && reached.offset() >= needed;
        });
    }

    private long lag() {
        long lag = inHand == null ? 0 : inHand.records();
        for (TopicPartition partition : consumer.assignment()) {
            lag += consumer.currentLag(partition).orElse(0);
        }
        return lag;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        LOG.infof("partitions assigned: %s", partitions);
        if (inHand != null) {
            consumer.pause(partitions);
        }
    }

    /** The last chance to commit: the next owner begins where the offsets say. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (partitions.isEmpty()) {
            return;
        }
        LOG.infof("partitions revoked: %s", partitions);
        try {
            if (inHand != null) {
                if (endedWithin(inHand, config.revokeTimeout())) {
                    keepOffsets();
                } else {
                    giveUp();
                }
            }
            if (!uncommitted.isEmpty()) {
                consumer.commitSync(uncommitted);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            uncommitted.clear();
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        LOG.warnf("partitions lost: %s", partitions);
        uncommitted.clear();
        if (inHand != null) {
            giveUp();
        }
    }

    /** Leaves the group. What is in hand after a failure of this thread is given up. */
    @Override
    public void close() {
        if (inHand != null) {
            giveUp();
        }
        consumer.close(CloseOptions.timeout(CLOSE));
    }
}
