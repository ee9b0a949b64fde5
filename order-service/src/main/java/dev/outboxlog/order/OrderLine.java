package dev.outboxlog.order;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.PositiveOrZero;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * So many of one thing.
 *
 * @param sku what
 * @param quantity how many
 * @param unitPriceMinor the price of one in minor units of the currency, for example cents
 * @param currency ISO 4217
 */
record OrderLine(
        @PlainText @Schema(examples = "BOOK-1") String sku,

        @NotNull @Positive @Max(1_000_000) @Schema(examples = "2")
        Integer quantity,

        @NotNull @PositiveOrZero @Max(1_000_000_000_000L) @Schema(examples = "1999")
        Long unitPriceMinor,

        @NotNull
        @Pattern(regexp = "[A-Z]{3}", message = "must be three capital letters, as in ISO 4217")
        @Schema(examples = "EUR")
        String currency) {

    /** Price times quantity, in minor units. Within the limits above it cannot overflow. */
    long totalMinor() {
        return unitPriceMinor * quantity;
    }
}
