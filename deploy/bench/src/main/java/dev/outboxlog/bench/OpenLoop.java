package dev.outboxlog.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Does things at a fixed rate, whether or not the ones before are done in time: a slow answer does not make the next question late, and so
 * does not hide itself.
 */
final class OpenLoop {

    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private OpenLoop() {}

    /** What is done. A connection is only ever used by one thread. */
    interface Task {
        void run(int connection, int n) throws Exception;
    }

    /**
     * Does the task so often, shared out over the connections in turn.
     *
     * @return when each was done, in microseconds of the wall clock
     * @throws TimeoutException if it falls behind by more than a minute
     */
    static long[] run(int times, int rate, int connections, Task task)
            throws InterruptedException, ExecutionException, TimeoutException {
        long[] done = new long[times];
        long start = System.nanoTime() + LEAD_NANOS;
        long deadline = start + times * 1_000_000_000L / rate + TimeUnit.MINUTES.toNanos(1);
        ExecutorService threads = Executors.newFixedThreadPool(connections);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int connection = 0; connection < connections; connection++) {
                int mine = connection;
                all.add(threads.submit(() -> {
                    for (int n = mine; n < times; n += connections) {
                        sleepUntil(start + n * 1_000_000_000L / rate);
                        task.run(mine, n);
                        done[n] = Receiver.micros();
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            return done;
        } finally {
            threads.shutdownNow();
        }
    }

    private static void sleepUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
