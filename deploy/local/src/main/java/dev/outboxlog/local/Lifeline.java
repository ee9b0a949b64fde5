package dev.outboxlog.local;

import java.io.IOException;

/** Ends a child process whose parent has died without a word: its standard input is a pipe that ends with the parent. */
public final class Lifeline {

    private Lifeline() {}

    /** To be called by the child, on any thread, before it starts what must not outlive its parent. */
    public static void endWithParent() {
        Thread thread = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // Nobody writes.
                        }
                    } catch (IOException e) {
                        // As good as an end.
                    }
                    System.exit(0);
                },
                "lifeline");
        thread.setDaemon(true);
        thread.start();
    }
}
