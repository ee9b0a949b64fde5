package dev.outboxlog.shipping;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
class ShipmentErrorsTest {

    private static ValidatableResponse problem(ValidatableResponse response, int status) {
        return response.statusCode(status)
                .contentType("application/problem+json")
                .body("status", equalTo(status))
                .body(not(containsString("dev.outboxlog")))
                .body(not(containsString("Exception")));
    }

    @Test
    void an_unknown_shipment_is_404_with_its_own_type() {
        problem(given().get("/shipments/nobody").then(), 404)
                .body("type", equalTo("urn:outboxlog:problem:shipment-not-found"))
                .body("orderId", equalTo("nobody"));
    }

    @Test
    void dispatching_an_unknown_shipment_is_404() {
        problem(given().post("/shipments/nobody/dispatch").then(), 404)
                .body("type", equalTo("urn:outboxlog:problem:shipment-not-found"));
    }

    @Test
    void an_id_with_nul_is_404() {
        problem(given().urlEncodingEnabled(false).get("/shipments/a%00b").then(), 404);
    }

    @Test
    void a_path_that_nobody_serves_is_404() {
        problem(given().get("/nothing").then(), 404);
    }

    @Test
    void a_method_that_nobody_serves_is_405() {
        problem(given().delete("/shipments/nobody").then(), 405);
    }

    @Test
    void a_media_type_that_nobody_serves_is_406() {
        problem(given().accept("image/png").get("/shipments/nobody").then(), 406);
    }

    @ParameterizedTest
    @CsvSource({
        "status, shipped",
        "status, PREPARING",
        "after, xyz",
        "after, '!'",
        "limit, 0",
        "limit, 201",
        "limit, -1",
        "limit, many",
        "limit, 99999999999"
    })
    void a_parameter_that_is_not_usable_is_400(String parameter, String value) {
        problem(given().queryParam(parameter, value).get("/shipments").then(), 400);
    }
}
