package dev.outboxlog;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.outboxlog");

    @Test
    void theOutboxKnowsNothingOfOrders() {
        noClasses()
                .that()
                .resideInAPackage("..outbox..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.outboxlog.order..")
                .check(CLASSES);
    }

    @Test
    void theDatabasePackageKnowsNeither() {
        noClasses()
                .that()
                .resideInAPackage("dev.outboxlog.database..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.outboxlog.order..", "dev.outboxlog.outbox..")
                .check(CLASSES);
    }

    @Test
    void nothingIsInjectedIntoFields() {
        fields().should().notBeAnnotatedWith(Inject.class).check(CLASSES);
    }
}
