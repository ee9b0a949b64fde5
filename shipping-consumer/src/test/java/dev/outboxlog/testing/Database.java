package dev.outboxlog.testing;

import dev.outboxlog.local.LocalPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The service's database as somebody with psql sees it. */
public final class Database implements AutoCloseable {

    private final Connection connection;

    /** The database that all tests of this module share. */
    public Database() {
        this(System.getProperty("quarkus.datasource.jdbc.url"));
    }

    /** The database of an embedded server, which trusts its superuser. */
    public Database(String jdbcUrl) {
        try {
            connection = DriverManager.getConnection(jdbcUrl, LocalPostgres.USER, null);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs a statement. */
    public void execute(String sql, Object... parameters) {
        try (PreparedStatement statement = prepared(sql, parameters)) {
            statement.execute();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The only column of the only row, null where there is no row. */
    public Object value(String sql, Object... parameters) {
        List<Map<String, Object>> rows = rows(sql, parameters);
        return rows.isEmpty() ? null : rows.get(0).values().iterator().next();
    }

    /** A count. */
    public long count(String sql, Object... parameters) {
        return ((Number) value(sql, parameters)).longValue();
    }

    /** All rows, by column. */
    public List<Map<String, Object>> rows(String sql, Object... parameters) {
        try (PreparedStatement statement = prepared(sql, parameters);
                ResultSet result = statement.executeQuery()) {
            ResultSetMetaData columns = result.getMetaData();
            List<Map<String, Object>> rows = new ArrayList<>();
            while (result.next()) {
                Map<String, Object> row = new LinkedHashMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    row.put(columns.getColumnLabel(i), result.getObject(i));
                }
                rows.add(row);
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private PreparedStatement prepared(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    /** Begins a transaction that stays open until {@link #commit()} or {@link #rollback()}. */
    public void begin() {
        try {
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public void commit() {
        try {
            connection.commit();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public void rollback() {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
