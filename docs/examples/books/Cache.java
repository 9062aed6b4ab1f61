package books;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Accounts that were asked for already. */
final class Cache {
    private final Map<String, Account> known = new ConcurrentHashMap<>();
    private final Database database;

    Cache(Database database) {
        this.database = database;
    }

    Account get(String tenant) {
        Account account = known.get(tenant);
        if (account != null) return account;
        account = load(tenant);
        if (account != null) known.put(tenant, account);
        return account;
    }

    private Account load(String tenant) {
        return database.query("SELECT id FROM accounts WHERE tenant = '" + tenant + "'", tenant).isEmpty() ? null : new Account(tenant);
    }
}
