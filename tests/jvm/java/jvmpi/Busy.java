/** A thread that computes, and one that sleeps: of three turns of much() one is followed by little(). */
public class Busy {
    static volatile long sum;

    static void much() {
        for (int i = 0; i < 1000; i++) sum += Long.numberOfTrailingZeros(i * 31L + sum);
    }

    static void little() {
        for (int i = 0; i < 1000; i++) sum -= Long.numberOfLeadingZeros(i * 17L + sum);
    }

    static void compute() {
        long turns = 0;
        while (turns < 60_000) {
            much();
            if (turns % 3 == 0) little();
            turns++;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread sleeps = new Thread(() -> {
            try {
                Thread.sleep(100_000);
            } catch (InterruptedException e) {
                return;
            }
        }, "sleeping");
        sleeps.setDaemon(true);
        sleeps.start();
        Thread computes = new Thread(Busy::compute, "computing");
        computes.start();
        computes.join();
    }
}
