package dev.outboxlog.order;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A line of text of 1 to 200 characters. No control characters: PostgreSQL cannot store U+0000; no halves of surrogate pairs: no UTF-8 has them. */
@NotBlank
@Size(max = 200)
@Pattern(regexp = "[^\\p{Cc}\\p{Cs}]*")
@ReportAsSingleViolation
@Documented
@Constraint(validatedBy = {})
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
@interface PlainText {

    /** What the client is told. */
    String message() default "must be 1 to 200 characters, not only spaces, without control characters";

    /** Required by Bean Validation. */
    Class<?>[] groups() default {};

    /** Required by Bean Validation. */
    Class<? extends Payload>[] payload() default {};
}
