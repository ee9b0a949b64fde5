package dev.outboxlog.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What Linux tells about processes. Where it tells nothing, everything is 0. */
final class Proc {

    /** The unit of CPU times in /proc on every Linux that this runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private Proc() {}

    private record Ticks(long own, long endedChildren) {}

    /** CPU seconds that the process has used. */
    static double cpuSeconds(long pid) {
        return ticks(pid).own() / TICKS_PER_SECOND;
    }

    /** CPU seconds of a process and its children, of those that have ended, too: PostgreSQL is one process per connection. */
    static double cpuSecondsOfFamily(long pid) {
        Ticks parent = ticks(pid);
        long children = ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::children)
                .mapToLong(child -> ticks(child.pid()).own())
                .sum();
        return (parent.own() + parent.endedChildren() + children) / TICKS_PER_SECOND;
    }

    /** CPU seconds that the whole machine has used. */
    static double cpuSecondsOfMachine() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            // cpu user nice system idle iowait irq softirq steal
            String[] fields = lines.findFirst().orElse("").split("\\s+");
            return Stream.of(1, 2, 3, 6, 7, 8)
                            .mapToLong(field -> Long.parseLong(fields[field]))
                            .sum()
                    / TICKS_PER_SECOND;
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** The most memory that the process has occupied so far. */
    static long peakMiB(long pid) {
        try {
            return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                    .filter(line -> line.startsWith("VmHWM:"))
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0L);
        } catch (IOException e) {
            return 0;
        }
    }

    private static Ticks ticks(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The name, in brackets, may contain spaces; behind it the fields are counted from the third.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return new Ticks(
                    Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
                    Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
        } catch (IOException e) {
            return new Ticks(0, 0);
        }
    }
}
