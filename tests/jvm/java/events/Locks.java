/** A thread keeps a lock for a second, or for so many ms as the argument says, while another one wants it. */
public class Locks {
    static class Ledger {
        synchronized void close(long ms) throws InterruptedException {
            Thread.sleep(ms);
        }

        synchronized void read() {}
    }

    public static void main(String[] args) throws Exception {
        Ledger ledger = new Ledger();
        Thread keeper = new Thread(() -> {
            try {
                ledger.close(args.length > 0 ? Long.parseLong(args[0]) : 1000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "keeper");
        keeper.start();
        while (keeper.getState() != Thread.State.TIMED_WAITING) Thread.sleep(1);
        ledger.read();
        System.out.println("read");
    }
}
