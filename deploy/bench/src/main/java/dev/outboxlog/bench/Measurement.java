package dev.outboxlog.bench;

import java.util.List;

/** One question with the way to its answer. */
interface Measurement {

    /** What the user types. */
    String name();

    /** What it answers, in a line or two. */
    String question();

    /** Its settings; {@code --out} is everybody's. */
    List<Setting> settings();

    /**
     * Measures. Starts its own servers and ends everything that it has started.
     *
     * @param report where the numbers go, round by round
     */
    void run(Arguments arguments, Report report) throws Exception;
}
