package dev.outboxlog.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Short ways to say things in SQL. */
final class Sql {

    private Sql() {}

    static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Runs one statement and returns how many rows it has changed. */
    static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    /** The only number of the only row. */
    static double number(Connection connection, String sql) throws SQLException {
        return Double.parseDouble(texts(connection, sql).get(0));
    }

    /** The first column of all rows. */
    static List<String> texts(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        }
    }

    /** How much write-ahead log the server has written since its first start. */
    static double walBytes(Connection connection) throws SQLException {
        return number(connection, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
    }
}
