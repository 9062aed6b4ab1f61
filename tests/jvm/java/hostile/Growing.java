import java.io.File;
import java.util.Scanner;

/** Says that it is running, waits for a line, and then loads its remaining classes. */
final class Growing {
    static int early(int n) {
        return n + 1;
    }

    static final class Late {
        static int late(int n) {
            return n + 1;
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 1000; i++) sum = early(sum);
        System.out.println("ready");
        new Scanner(System.in).nextLine();
        for (int i = 0; i < 1000; i++) sum = Late.late(early(sum));
        Thread[] more = new Thread[100];
        for (int i = 0; i < more.length; i++) (more[i] = new Thread(() -> early(0))).start();
        System.out.println(sum);
    }
}
