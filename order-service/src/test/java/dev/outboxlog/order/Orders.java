package dev.outboxlog.order;

import static io.restassured.RestAssured.given;

import io.restassured.http.ContentType;
import io.restassured.response.Response;

/** Requests that tests send. */
final class Orders {

    static final String VALID = """
            {
              "customerId": "customer-1",
              "lines": [
                {"sku": "BOOK-1", "quantity": 2, "unitPriceMinor": 1999, "currency": "EUR"},
                {"sku": "PEN-7", "quantity": 1, "unitPriceMinor": 250, "currency": "EUR"}
              ],
              "shippingAddress": {
                "name": "Ada Lovelace", "street": "12 St James Square", "city": "London", "postalCode": "SW1Y 4JH", "country": "GB"
              }
            }
            """;

    static final String OTHER_ADDRESS = """
            {"name": "Charles Babbage", "street": "1 Dorset Street", "city": "London", "postalCode": "W1U 4EG", "country": "GB"}
            """;

    private Orders() {}

    static Response place(String body) {
        return given().contentType(ContentType.JSON).body(body).post("/orders");
    }

    static String placed() {
        return place(VALID).then().statusCode(201).extract().path("id");
    }

    static Response cancel(String id) {
        return given().post("/orders/{id}/cancel", id);
    }

    static Response shipTo(String id, String address) {
        return given().contentType(ContentType.JSON).body(address).put("/orders/{id}/shipping-address", id);
    }
}
