package dev.outboxlog.order;

/** An order that makes no sense, although each of its values looks right. */
final class InvalidOrderException extends RuntimeException {

    private final String field;

    /**
     * @param field the request's field that is wrong, as in {@code lines[1].currency}
     * @param message what is wrong with it
     */
    InvalidOrderException(String field, String message) {
        super(message);
        this.field = field;
    }

    String field() {
        return field;
    }
}
