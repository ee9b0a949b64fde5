package dev.outboxlog.bench;

import java.util.Arrays;

/**
 * What was received. Times are microseconds of the wall clock.
 *
 * @param firstSent when the first record was sent, as its timestamp says
 * @param arrivals when each event first came, by its number
 * @param copies records beyond the first of their event
 * @param outOfOrder events first seen after a later one of their aggregate
 */
record Received(long firstSent, long[] arrivals, int copies, int outOfOrder) {

    private static final double MICROS = 1e6;

    /** Events a second from the first one's sending to the last one's receipt. */
    double perSecond() {
        long last = Arrays.stream(arrivals).max().orElseThrow();
        return arrivals.length * MICROS / Math.max(1, last - firstSent);
    }

    /** Events a second over the later half of them, when the compilers have done most of their work. */
    double perSecondOfSecondHalf() {
        return rates(2)[1];
    }

    /**
     * Events a second in each of so many equal parts, in order of arrival.
     */
    double[] rates(int parts) {
        long[] sorted = arrivals.clone();
        Arrays.sort(sorted);
        double[] rates = new double[parts];
        long began = firstSent;
        int from = 0;
        for (int part = 0; part < parts; part++) {
            int to = (int) ((long) sorted.length * (part + 1) / parts);
            long ended = sorted[to - 1];
            rates[part] = (to - from) * MICROS / Math.max(1, ended - began);
            began = ended;
            from = to;
        }
        return rates;
    }
}
