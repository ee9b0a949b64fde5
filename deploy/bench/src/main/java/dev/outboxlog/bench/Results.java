package dev.outboxlog.bench;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Where results are kept: beside the module's target directory, wherever in the file system the command is given. */
final class Results {

    static final Path DIRECTORY = module().resolve("results");

    private Results() {}

    private static Path module() {
        try {
            Path jar = Path.of(Results.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            // target/bench.jar or target/classes
            return jar.getParent().getParent();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the place of this program is unknown", e);
        }
    }
}
