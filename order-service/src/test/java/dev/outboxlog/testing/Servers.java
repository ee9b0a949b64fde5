package dev.outboxlog.testing;

import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;

/** The servers of this module's tests, as somebody sees them who has no service. */
public final class Servers {

    public static final Database DATABASE = Database.ofModule();
    public static final TopicReader TOPICS = TopicReader.ofModule();

    private Servers() {}
}
