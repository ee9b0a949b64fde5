package dev.outboxlog.bench;

/** The user asked for something that there is not; the message says what there is. */
final class WrongArguments extends IllegalArgumentException {

    WrongArguments(String message) {
        super(message);
    }
}
