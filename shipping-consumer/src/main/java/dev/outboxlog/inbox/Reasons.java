package dev.outboxlog.inbox;

import io.vertx.pgclient.PgException;

/**
 * Why an event failed, for the person who looks at it: names of constraints and classes, never values, because the detail of a
 * database error carries payload.
 */
record Reasons(String code, String text) {

    static Reasons of(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PgException refused) {
                String constraint = refused.getConstraint() == null ? "" : ", constraint " + refused.getConstraint();
                return new Reasons(
                        "refused-by-database",
                        "SQLSTATE " + refused.getSqlState() + constraint + ": " + refused.getErrorMessage());
            }
        }
        return new Reasons(
                "handler-failed",
                "the handler failed with " + failure.getClass().getSimpleName());
    }
}
