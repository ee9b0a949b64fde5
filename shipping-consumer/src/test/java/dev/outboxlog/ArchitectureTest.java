package dev.outboxlog;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.GeneralCodingRules;
import jakarta.inject.Inject;
import jakarta.ws.rs.Path;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.outboxlog.inbox", "dev.outboxlog.shipping");

    @Test
    void the_inbox_knows_nothing_of_shipping() {
        noClasses()
                .that()
                .resideInAPackage("dev.outboxlog.inbox..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.outboxlog.shipping..")
                .check(MAIN);
    }

    @Test
    void shipping_knows_nothing_of_kafka() {
        noClasses()
                .that()
                .resideInAPackage("dev.outboxlog.shipping..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .check(MAIN);
    }

    @Test
    void dependencies_come_through_constructors() {
        fields().should().notBeAnnotatedWith(Inject.class).check(MAIN);
    }

    @Test
    void nothing_is_printed() {
        GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(MAIN);
    }

    @Test
    void resources_are_named_so() {
        classes()
                .that()
                .areAnnotatedWith(Path.class)
                .should()
                .haveSimpleNameEndingWith("Resource")
                .check(MAIN);
    }
}
