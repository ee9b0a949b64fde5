package dev.outboxlog.order;

import static dev.outboxlog.testing.Servers.DATABASE;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nonsense is refused with a problem that says what is wrong and where, and leaves no trace. */
@QuarkusTest
class BadOrderTest {

    private long ordersBefore;
    private long eventsBefore;

    @BeforeEach
    void count() {
        ordersBefore = DATABASE.number("SELECT count(*) FROM orders");
        eventsBefore = DATABASE.number("SELECT count(*) FROM outbox");
    }

    @AfterEach
    void nothingIsWritten() {
        assertThat(DATABASE.number("SELECT count(*) FROM orders")).isEqualTo(ordersBefore);
        assertThat(DATABASE.number("SELECT count(*) FROM outbox")).isEqualTo(eventsBefore);
    }

    @ParameterizedTest(name = "{2}: {0} -> {1}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "`\"quantity\": 2`, `\"quantity\": -2`, lines[0].quantity, 400",
                "`\"quantity\": 2`, `\"quantity\": 0`, lines[0].quantity, 400",
                "`\"quantity\": 2`, `\"quantity\": 1.5`, lines[0].quantity, 400",
                "`\"quantity\": 2`, `\"quantity\": \"2\"`, lines[0].quantity, 400",
                "`\"quantity\": 2`, `\"quantity\": null`, lines[0].quantity, 400",
                "`\"quantity\": 2`, `\"quantity\": 99999999999999999999`, lines[0].quantity, 400",
                "`\"quantity\": 2`, `\"quantity\": {}`, lines[0].quantity, 400",
                "`\"quantity\": 2, `, ``, lines[0].quantity, 400",
                "`\"unitPriceMinor\": 1999`, `\"unitPriceMinor\": -1`, lines[0].unitPriceMinor, 400",
                "`\"sku\": \"PEN-7\"`, `\"sku\": \" \"`, lines[1].sku, 400",
                "`\"sku\": \"PEN-7\"`, `\"sku\": 7`, lines[1].sku, 400",
                "`\"sku\": \"PEN-7\"`, `\"sku\": \"\\u0000\"`, lines[1].sku, 400",
                "`\"sku\": \"PEN-7\"`, `\"sku\": \"\\ud800\"`, lines[1].sku, 400",
                "`\"currency\": \"EUR\"}\n`, `\"currency\": \"USD\"}\n`, lines[1].currency, 422",
                "`\"currency\": \"EUR\"`, `\"currency\": \"euro\"`, lines[0].currency, 400",
                "`EUR`, `XQZ`, lines[0].currency, 422",
                "`\"country\": \"GB\"`, `\"country\": \"England\"`, shippingAddress.country, 400",
                "`\"customerId\": \"customer-1\",`, ``, customerId, 400",
                "`\"customerId\"`, `\"colour\": 1, \"customerId\"`, colour, 400",
                "`\"sku\": \"PEN-7\"`, `\"sku\": \"PEN-7\", \"weight\": 3`, lines[1].weight, 400",
                "`\"customerId\"`, `\"customerId\": \"a\", \"customerId\"`, customerId, 400",
            })
    void theFieldThatIsWrongIsNamed(String valid, String wrong, String field, int status) {
        assertThat(Orders.VALID).contains(valid);
        Response answer = Orders.place(Orders.VALID.replace(valid, wrong));
        assertProblem(answer, status);
        assertThat(answer.asString()).contains("\"field\":\"" + field + "\"");
        assertThat(answer.asString()).doesNotContain("dev.outboxlog", "java.", "Exception");
    }

    @Test
    void anEmptyOrderIsRefused() {
        Response answer = Orders.place(Orders.VALID.replaceAll("(?s)\"lines\": \\[.*\\],", "\"lines\": [],"));
        assertProblem(answer, 400);
        assertThat(answer.asString()).contains("\"field\":\"lines\"");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {"`{`", "`[]`", "`null`", "``", "`\"text\"`", "`{\"customerId\": nothing}`"})
    void whatIsNoOrderAtAllIsRefused(String body) {
        assertProblem(Orders.place(body), 400);
    }

    @Test
    void whatFollowsTheOrderIsRefused() {
        assertProblem(Orders.place(Orders.VALID + "{}"), 400);
    }

    @Test
    void anOversizeBodyIsRefused() {
        String body = Orders.VALID.replace("customer-1", "c".repeat(300 * 1024));
        assertProblem(Orders.place(body), 413);
    }

    @Test
    void anotherMediaTypeIsRefused() {
        Response answer = given().contentType(ContentType.XML).body("<order/>").post("/orders");
        assertProblem(answer, 415);
    }

    @Test
    void anotherMethodIsRefused() {
        assertProblem(given().delete("/orders"), 405);
    }

    private static void assertProblem(Response answer, int status) {
        assertThat(answer.statusCode()).as(answer.asString()).isEqualTo(status);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(answer.jsonPath().getInt("status")).isEqualTo(status);
        assertThat(answer.jsonPath().getString("title")).isNotBlank();
        assertThat(answer.jsonPath().getString("detail") + answer.jsonPath().getString("violations"))
                .isNotEqualTo("nullnull");
    }
}
