package dev.outboxlog.order;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * Where a shipment goes.
 *
 * @param name whose name is on the parcel
 * @param street street and number
 * @param city town
 * @param postalCode as the country writes it
 * @param country ISO 3166-1 alpha-2
 */
record Address(
        @PlainText @Schema(examples = "Ada Lovelace") String name,
        @PlainText @Schema(examples = "12 St James Square") String street,
        @PlainText @Schema(examples = "London") String city,
        @PlainText @Schema(examples = "SW1Y 4JH") String postalCode,

        @NotNull
        @Pattern(regexp = "[A-Z]{2}", message = "must be two capital letters, as in ISO 3166-1 alpha-2")
        @Schema(examples = "GB")
        String country) {}
