package dev.outboxlog.local;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What can be done to a process that was started from here. */
public final class Processes {

    private Processes() {}

    /** Asks a process to end (SIGTERM) and waits; one that does not end within its grace time is killed. A frozen one hears nothing: thaw it first. */
    public static void end(Process process, Duration grace) {
        process.destroy();
        try {
            if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Stops a process in mid-air (SIGSTOP): it does nothing, and keeps its connections, its locks and what it has in its memory. */
    static void freeze(Process process) throws IOException, InterruptedException {
        signal(process, "STOP");
    }

    /** Lets a frozen process go on (SIGCONT) as if no time had passed, which the clocks tell it otherwise. */
    static void thaw(Process process) throws IOException, InterruptedException {
        signal(process, "CONT");
    }

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .start();
        String said = new String(kill.getInputStream().readAllBytes());
        if (kill.waitFor() != 0) {
            throw new IOException("process " + process.pid() + " could not be sent SIG" + name + ": " + said.strip());
        }
    }
}
