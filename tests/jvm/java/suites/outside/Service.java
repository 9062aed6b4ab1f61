package suite;

import java.util.Scanner;

/** Calls `leaf` as often as each line says, in a thread of its own, and says so. */
public class Service {
    static void leaf() {}

    static void serve(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    public static void main(String[] args) {
        Scanner lines = new Scanner(System.in);
        System.out.println("ready " + ProcessHandle.current().pid());
        while (lines.hasNextInt()) {
            int n = lines.nextInt();
            serve(n);
            System.out.println("served " + n);
        }
    }
}
