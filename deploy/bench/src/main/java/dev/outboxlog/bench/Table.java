package dev.outboxlog.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints rows with aligned columns; a new head where the columns change. */
final class Table {

    private static final int NARROWEST = 7;

    private final String first;
    private List<String> head = List.of();
    private List<Integer> widths = List.of();

    /**
     * @param first what the rows' number is called
     */
    Table(String first) {
        this.first = first;
    }

    void print(Row row) {
        List<String> columns = new ArrayList<>(List.of(first));
        List<String> cells = new ArrayList<>(List.of(Integer.toString(row.round())));
        for (Map.Entry<String, String> label : row.labels().entrySet()) {
            columns.add(label.getKey());
            cells.add(label.getValue());
        }
        for (Map.Entry<String, Double> number : row.numbers().entrySet()) {
            columns.add(number.getKey());
            cells.add(text(number.getValue()));
        }
        if (!columns.equals(head)) {
            head = columns;
            widths = new ArrayList<>();
            for (int i = 0; i < columns.size(); i++) {
                widths.add(Math.max(
                        NARROWEST,
                        Math.max(columns.get(i).length(), cells.get(i).length())));
            }
            System.out.println(line(head));
        }
        System.out.println(line(cells));
    }

    private String line(List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            line.append(String.format("%" + widths.get(i) + "s  ", cells.get(i)));
        }
        return line.toString().stripTrailing();
    }

    private static String text(double number) {
        boolean whole = number == Math.rint(number) || Math.abs(number) >= 1000;
        return String.format(Locale.ROOT, whole ? "%.0f" : Math.abs(number) < 0.1 ? "%.4f" : "%.2f", number);
    }
}
