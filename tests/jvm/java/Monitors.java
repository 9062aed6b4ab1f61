/** Enters two monitors in each of 15 calls; sometimes leaves one of them by an exception. */
final class Monitors {
    static int locked(int n) {
        synchronized (Monitors.class) {
            n++;
        }
        synchronized ("") {
            if (n % 5 == 0) throw new IllegalStateException();
            return n;
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 15; i++) {
            try {
                sum += locked(i);
            } catch (IllegalStateException e) {
                sum--;
            }
        }
        System.out.println(sum);
    }
}
