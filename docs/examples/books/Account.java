package books;

/** What a tenant has. */
final class Account {
    final String tenant;
    private int cents = 2000;
    private String state = "OPEN";

    Account(String tenant) {
        this.tenant = tenant;
    }

    synchronized void pay(int amount) {
        int left = cents - amount;
        if (left < 0) {
            state = "OVERDRAWN";
        } else if (state.equals("OVERDRAWN")) {
            state = "OPEN";
        }
        cents = left;
    }

    String money() {
        return cents / 100 + "." + cents % 100;
    }

    /** Use money(). */
    @Deprecated
    int balance() {
        return cents / 100;
    }

    void close() {
        state = "CLOSED";
    }
}
