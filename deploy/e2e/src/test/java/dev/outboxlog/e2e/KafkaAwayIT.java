package dev.outboxlog.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.outboxlog.local.testing.Database;
import dev.outboxlog.local.testing.TopicReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While Kafka is away orders are taken; when it is back they become shipments, without anybody's help. */
class KafkaAwayIT {

    private TestSystem system;

    @BeforeEach
    void start() throws Exception {
        system = new TestSystem();
    }

    @AfterEach
    void stop() throws Exception {
        system.close();
    }

    @Test
    void ordersAreTakenWhileKafkaIsAwayAndDeliveredWhenItIsBack() throws Exception {
        // Given
        system.startOrders();
        system.startShipping();
        List<String> ids = new ArrayList<>(List.of(system.placeOrder()));
        await().untilAsserted(() -> assertThat(system.records(ids.get(0))).hasSize(1));
        // When
        system.servers().stopKafka();
        for (int i = 0; i < 20; i++) {
            ids.add(system.placeOrder());
        }
        // Then: the reason is told, and nobody is taken out of service or restarted for it
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(
                                system.ordersManagement("/q/health/ready").asString())
                        .contains("waiting for Kafka"));
        system.ordersManagement("/q/health/ready").then().statusCode(200);
        system.ordersManagement("/q/health/live").then().statusCode(200);
        system.ordersManagement("/q/health/started").then().statusCode(200);
        Database orders = system.ordersDatabase();
        assertThat(orders.number("SELECT count(*) FROM outbox WHERE status IN ('pending', 'processing')"))
                .isEqualTo(20);
        assertThat(orders.number("SELECT count(*) FROM outbox_hold")).isZero();
        // When
        system.servers().startKafka();
        // Then
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            for (String id : ids) {
                system.shipment(id).then().statusCode(200).body("status", equalTo("preparing"));
            }
        });
        assertThat(TopicReader.ids(system.topics().read("orders")).stream().distinct())
                .hasSize(21);
        assertThat(system.shippingDatabase().number("SELECT count(*) FROM shipments"))
                .isEqualTo(21);
    }

    @Test
    void orderServiceStartsWhileKafkaIsAway() throws Exception {
        // Given
        system.servers().stopKafka();
        // When
        system.startOrders();
        String id = system.placeOrder();
        system.ordersManagement("/q/health/started").then().statusCode(200);
        // And
        system.servers().startKafka();
        // Then
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(system.records(id)).hasSize(1));
    }
}
