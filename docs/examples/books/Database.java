package books;

import java.util.ArrayList;
import java.util.List;

/** As if it were far away: a question takes a millisecond, and more if the tenant has much data. */
final class Database {
    List<String> query(String sql, String tenant) {
        List<String> rows = new ArrayList<>();
        try {
            Thread.sleep(tenant.equals("globex") ? 4 : 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (tenant.equals("hooli")) return rows;
        int size = sql.startsWith("SELECT id") ? (tenant.equals("globex") ? 14 : 4) : 1;
        for (int i = 0; i < size; i++) rows.add(sql.endsWith("3") ? "-" : String.valueOf(100 + i));
        return rows;
    }
}
