package books;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Accounts of three tenants, with two workers for their requests: the program of docs/questions/cookbook.md. */
public final class Books {
    private static final List<String> TENANTS = List.of("acme", "globex", "initech");
    private static final Books BOOKS = new Books();

    private final Database database = new Database();
    private final Cache cache = new Cache(database);
    private final Journal journal = new Journal();
    private String last = "";

    String handle(String path, String tenant) {
        String answer = switch (path) {
            case "/balance" -> balance(tenant);
            case "/export" -> export(tenant);
            default -> pay(tenant, 250);
        };
        journal.write(path + " " + tenant);
        last = answer;
        return answer;
    }

    private String balance(String tenant) {
        Account account = cache.get(tenant);
        return account == null ? "no account" : tenant + ": " + account.balance();
    }

    /** Asks once for each entry, where one question would do. */
    private String export(String tenant) {
        int total = 0;
        for (String id : database.query("SELECT id FROM entries WHERE tenant = '" + tenant + "'", tenant)) {
            String cents = database.query("SELECT cents FROM entries WHERE id = " + id, tenant).get(0);
            total += parsed(cents);
        }
        return tenant + ": " + total;
    }

    private String pay(String tenant, int cents) {
        Account account = cache.get(tenant);
        if (account == null) return "no account";
        account.pay(cents + (tenant.equals("acme") ? new Fee.Flat(5) : new Fee.Percent(2)).of(cents));
        return tenant + " has " + account.money();
    }

    private static int parsed(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return 0; // as if nothing were wrong
        }
    }

    static Properties settings() {
        Properties found = new Properties();
        try (var file = new FileInputStream(new File("books.properties"))) {
            found.load(file);
        } catch (IOException e) {
            found.setProperty("currency", System.getProperty("books.currency", "EUR"));
        }
        return found;
    }

    public static void main(String[] args) throws InterruptedException {
        settings();
        var workers = Executors.newFixedThreadPool(2);
        for (int i = 0; i < 60; i++) {
            String path = i % 20 == 7 ? "/export" : i % 2 == 0 ? "/balance" : "/pay", tenant = i % 15 == 14 ? "hooli" : TENANTS.get(i % 3);
            workers.submit(() -> BOOKS.handle(path, tenant));
        }
        workers.shutdown();
        workers.awaitTermination(1, TimeUnit.MINUTES);
        BOOKS.journal.write(Folder.example(5).size() + " documents");
    }
}
