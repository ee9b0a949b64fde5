package dev.outboxlog.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Clients that do a thing again as soon as it is done. */
final class ClosedLoop {

    private static final long PATIENCE_SECONDS = 60;

    private ClosedLoop() {}

    /** What one client does, again and again. */
    interface Client extends AutoCloseable {
        void run() throws Exception;
    }

    /**
     * What came out.
     *
     * @param perSecond how often it was done while it was measured
     * @param all how often it was done in all, with the warm-up
     * @param delays how long each took
     */
    record Result(double perSecond, int all, Delays delays) {}

    private record Share(int measured, int all, Delays delays) {}

    /**
     * Lets so many clients work at the same time.
     *
     * @param warmup seconds that do not count
     * @param seconds that do
     */
    static Result run(int clients, int warmup, int seconds, Callable<? extends Client> newClient)
            throws InterruptedException, ExecutionException, TimeoutException {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            long from = System.nanoTime() + TimeUnit.SECONDS.toNanos(warmup);
            long until = from + TimeUnit.SECONDS.toNanos(seconds);
            List<Future<Share>> shares = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                shares.add(threads.submit(() -> share(newClient, from, until)));
            }
            Delays delays = new Delays();
            int measured = 0;
            int all = 0;
            for (Future<Share> future : shares) {
                Share share = future.get(warmup + seconds + PATIENCE_SECONDS, TimeUnit.SECONDS);
                delays.add(share.delays());
                measured += share.measured();
                all += share.all();
            }
            return new Result((double) measured / seconds, all, delays);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Share share(Callable<? extends Client> newClient, long from, long until) throws Exception {
        Delays delays = new Delays();
        int measured = 0;
        int all = 0;
        try (Client client = newClient.call()) {
            for (long begin = System.nanoTime(); begin < until; all++) {
                client.run();
                long end = System.nanoTime();
                if (end >= from && end < until) {
                    delays.add((end - begin) / 1000);
                    measured++;
                }
                begin = end;
            }
        }
        return new Share(measured, all, delays);
    }
}
