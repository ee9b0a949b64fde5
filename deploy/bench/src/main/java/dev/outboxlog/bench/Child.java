package dev.outboxlog.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process that a measurement has started, with its log. */
final class Child implements AutoCloseable {

    private static final int TAIL = 20;

    private final String name;
    private final Process process;
    private final Path log;
    private final Runnable stop;

    /**
     * @param stop ends the process and waits until it has ended
     */
    Child(String name, Process process, Path log, Runnable stop) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.stop = stop;
    }

    long pid() {
        return process.pid();
    }

    /** Throws if the process has ended by itself, with the end of what it had to say. */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(name + " ended with exit code " + process.exitValue() + "\n" + tail());
        }
    }

    /** What went wrong, with the last words of those who may know why. */
    static String explain(Exception failure, List<Child> children) {
        return failure.getMessage() + "\n"
                + String.join("\n", children.stream().map(Child::tail).toList());
    }

    /** The last lines of its log, for a person who has to find out what happened. */
    String tail() {
        try {
            List<String> lines = Files.readAllLines(log);
            return "the end of the log of " + name + ":\n  "
                    + String.join("\n  ", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
        } catch (IOException e) {
            return "the log of " + name + " cannot be read: " + e;
        }
    }

    @Override
    public void close() {
        stop.run();
    }
}
