package dev.outboxlog.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * On what was measured.
 *
 * @param cpus processors that this process may use
 * @param cpu their model, where the system tells
 * @param memoryMiB of the whole machine
 * @param kernel name and version
 * @param jdk vendor and version
 */
record Machine(int cpus, String cpu, long memoryMiB, String kernel, String jdk) {

    static Machine here() {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                line("/proc/cpuinfo", "model name"),
                kibibytes(line("/proc/meminfo", "MemTotal")) / 1024,
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vm.vendor") + " " + System.getProperty("java.runtime.version"));
    }

    private static long kibibytes(String text) {
        String digits = text.replaceAll("\\D", "");
        return digits.isEmpty() ? 0 : Long.parseLong(digits);
    }

    private static String line(String file, String name) {
        try {
            return Files.readAllLines(Path.of(file)).stream()
                    .filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
