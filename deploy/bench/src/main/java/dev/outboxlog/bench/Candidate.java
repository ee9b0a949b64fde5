package dev.outboxlog.bench;

import java.util.List;

/** Something that delivers a backlog. */
interface Candidate {

    /** As it appears in reports. */
    String name();

    /** How many events it is given where so many are asked for: a slow one gets fewer. */
    default int events(int asked) {
        return asked;
    }

    /**
     * Makes a database with the workload in it.
     *
     * @return the database's name; {@link Databases#MAINTENANCE} if it needs none
     */
    String prepare(Workload workload) throws Exception;

    /** Starts what delivers. It need not be ready: the clock starts with the first record. */
    List<Child> start(String database, Workload workload) throws Exception;
}
