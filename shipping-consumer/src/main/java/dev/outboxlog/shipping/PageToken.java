package dev.outboxlog.shipping;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/** Where a page ended, in a form that says nothing to clients and may change. */
record PageToken(String lastOrderId) {

    private static final String VERSION = "1:";
    private static final int LONGEST = 1024;

    String encoded() {
        byte[] bytes = (VERSION + lastOrderId).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Empty where the text was not made by {@link #encoded()}. */
    static Optional<PageToken> decoded(String token) {
        try {
            if (token.length() > LONGEST) {
                return Optional.empty();
            }
            String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
            return text.startsWith(VERSION) && text.indexOf('\0') < 0
                    ? Optional.of(new PageToken(text.substring(VERSION.length())))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
