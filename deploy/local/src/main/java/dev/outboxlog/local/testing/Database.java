package dev.outboxlog.local.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The database as somebody sees it who has psql and no service. */
public final class Database {

    private final String jdbcUrl;
    private final String user;
    private final String password;

    /**
     * @param jdbcUrl where it is
     * @param user who connects
     * @param password the user's password
     */
    public Database(String jdbcUrl, String user, String password) {
        this.jdbcUrl = jdbcUrl;
        this.user = user;
        this.password = password;
    }

    /** The database that {@link LocalServersListener} has told the module under test to use. */
    public static Database ofModule() {
        return new Database(
                System.getProperty("quarkus.datasource.jdbc.url"),
                System.getProperty("quarkus.datasource.username"),
                System.getProperty("quarkus.datasource.password"));
    }

    /** A connection of its own; the caller closes it. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, user, password);
    }

    /** Runs a statement in a transaction of its own. */
    public int execute(String sql, Object... parameters) {
        try (Connection connection = connect()) {
            return execute(connection, sql, parameters);
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Runs a statement in the connection's transaction. */
    public static int execute(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            return statement.execute() ? 0 : statement.getUpdateCount();
        }
    }

    /** The first column of the result, as numbers. */
    public long number(String sql, Object... parameters) {
        return ((Number) column(sql, parameters).get(0)).longValue();
    }

    /** The first column of the first row, as text; {@code null} if there is none. */
    public String text(String sql, Object... parameters) {
        List<Object> column = column(sql, parameters);
        return column.isEmpty() || column.get(0) == null ? null : column.get(0).toString();
    }

    /** The first column of all rows. */
    public List<Object> column(String sql, Object... parameters) {
        return rows(sql, row -> row[0], parameters);
    }

    /** All rows. */
    public <T> List<T> rows(String sql, Function<Object[], T> mapper, Object... parameters) {
        try (Connection connection = connect();
                PreparedStatement statement = prepare(connection, sql, parameters);
                ResultSet result = statement.executeQuery()) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                Object[] row = new Object[result.getMetaData().getColumnCount()];
                for (int i = 0; i < row.length; i++) {
                    row[i] = result.getObject(i + 1);
                }
                rows.add(mapper.apply(row));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }
}
