package dev.outboxlog.database;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import jakarta.validation.constraints.Min;
import java.time.Duration;

/** Bounds of what a request may wait for in the database. */
@ConfigMapping(prefix = "database")
public interface DatabaseConfig {

    /** How long a request waits for a free connection before it is refused with 503. Higher hides overload for longer. */
    @WithDefault("2s")
    Duration acquireTimeout();

    /** How many requests may wait for a free connection; further ones are refused with 503 at once. Bounds memory under overload. */
    @WithDefault("1000")
    @Min(1)
    int maxWaiting();

    /** How long one statement of a request may take in the database ({@code statement_timeout}). */
    @WithDefault("5s")
    Duration statementTimeout();

    /** How long a statement of a request may wait for a lock ({@code lock_timeout}). Should be shorter than the statement time-out. */
    @WithDefault("3s")
    Duration lockTimeout();
}
