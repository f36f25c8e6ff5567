import java.sql.*;

/** What a tool does that knows JDBC alone: metadata, prepared statements in text and binary, and rows by and by. */
public class Clients {
    static final String SQL = "SELECT department, COUNT(*) AS n, SUM(cost) AS c, AVG(age) AS a FROM visits WHERE age > ? GROUP BY department";

    public static void main(String[] place) throws Exception {
        String base = "jdbc:postgresql://" + place[0] + ":" + place[1] + "/" + place[4] + "?user=" + place[2] + "&password=" + place[3];
        for (String mode : new String[] {"extended", "extendedForPrepared", "extendedCacheEverything", "simple"}) {
            try (Connection connection = DriverManager.getConnection(base + "&prepareThreshold=2&preferQueryMode=" + mode)) {
                DatabaseMetaData metadata = connection.getMetaData();
                int tables = count(metadata.getTables(null, "public", "%", new String[] {"TABLE"}));
                int columns = count(metadata.getColumns(null, "public", "visits", "%"));
                int keys = count(metadata.getPrimaryKeys(null, "public", "visits")) + count(metadata.getIndexInfo(null, "public", "visits", false, false));
                check(tables == 1 && columns == 7 && keys == 0, mode + ": " + tables + " tables, " + columns + " columns, " + keys + " keys");
                check(count(metadata.getTypeInfo()) > 10 && count(metadata.getSchemas()) == 5, mode + ": types and schemas");
                keys = count(metadata.getImportedKeys(null, "public", "visits")) + count(metadata.getBestRowIdentifier(null, "public", "visits", 0, true));
                check(keys == 0 && count(metadata.getCatalogs()) == 1, mode + ": other keys, and catalogs");
                check(metadata.getSQLKeywords().contains("ilike") && metadata.getMaxColumnNameLength() == 63, mode + ": words and names");
                ResultSet age = metadata.getColumns(null, "public", "visits", "age");
                check(age.next() && age.getString("TYPE_NAME").equals("int8") && age.getString("REMARKS").equals("0 to 110"), mode + ": a column");
                connection.createStatement().execute("SET deniable.spend = '1/10'");
                PreparedStatement prepared = connection.prepareStatement(SQL);
                for (int times = 0; times < 4; times++) {
                    prepared.setInt(1, 40);
                    try (ResultSet rows = prepared.executeQuery()) {
                        rows.next();
                        rows.getLong(2);
                        rows.getBigDecimal(3);
                        check(1 + count(rows) == 5, mode + ": rows");
                    }
                }
                connection.setAutoCommit(false);
                Statement statement = connection.createStatement();
                statement.setFetchSize(2);
                check(count(statement.executeQuery(SQL.replace("?", "40"))) == 5, mode + ": fetched");
                check(statement.getWarnings() != null, mode + ": notices");
                connection.commit();
                System.out.println(mode);
            }
        }
        System.out.println("done");
    }

    static int count(ResultSet rows) throws SQLException {
        int count = 0;
        while (rows.next()) {
            count++;
        }
        return count;
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
