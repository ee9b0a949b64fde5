package dev.outboxlog.outbox;

import java.util.HashMap;
import java.util.Map;

/** A replay takes few events, and a statement of a request little time. */
public class SmallReplays extends RelayOff {

    static final int MOST = 5;

    @Override
    public Map<String, String> getConfigOverrides() {
        Map<String, String> settings = new HashMap<>(super.getConfigOverrides());
        settings.put("outbox.replay.max-events", Integer.toString(MOST));
        settings.put("database.statement-timeout", "2s");
        return settings;
    }
}
