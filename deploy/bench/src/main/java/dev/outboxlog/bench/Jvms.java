package dev.outboxlog.bench;

import dev.outboxlog.local.ServiceProcess;
import java.util.List;

/** The start options of services. */
final class Jvms {

    static final Setting SETTING = Setting.oneOf(
            "jvm",
            List.of("small", "default"),
            "start options of the services: small is " + String.join(" ", ServiceProcess.SMALL_JVM)
                    + ", default only -Xmx256m");

    private Jvms() {}

    static List<String> of(Arguments arguments) {
        return arguments.text("jvm").equals("small") ? ServiceProcess.SMALL_JVM : List.of("-Xmx256m");
    }
}
