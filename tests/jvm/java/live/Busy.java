import java.util.Scanner;
import java.util.concurrent.LinkedBlockingQueue;

/** Runs loops while it obeys commands, one in each line: `rate` and `virtual` print by how many turns a loop got on in a while. */
public class Busy {
    static volatile boolean goes, ends;
    static volatile long turns, virtualTurns, called, handled;

    /** A loop of which each turn is short. */
    static class Hot {
        static void loop() {
            int sum = 1;
            for (long i = 1; goes; i++) {
                switch (sum & 3) { // instructions of all lengths are before the jump back
                    case 0: sum += 300; break;
                    case 1: sum *= 31; break;
                    case 2: sum ^= 5; break;
                    default: sum -= 77;
                }
                switch (sum & 0xF00) {
                    case 0x100: sum += 1; break;
                    case 0x900: sum += 1000; break;
                    default: sum += 3;
                }
                if ((i & 0xFFFF) == 0) turns += 0x10000 + (sum & 0);
            }
        }

        static int once() {
            return 1;
        }
    }

    /** The same, for a virtual thread. */
    static class Virtual {
        static void loop() {
            int sum = 1;
            for (long i = 1; goes; i++) {
                sum = sum * 31 + 7;
                if ((i & 0xFFFF) == 0) virtualTurns += 0x10000 + (sum & 0);
            }
        }
    }

    /** Loops that end soon, and are begun again and again. */
    static class Short {
        static int sum(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) sum += i * n;
            return sum;
        }
    }

    /** A loop that waits most of the time. */
    static class Dispatcher {
        static final LinkedBlockingQueue<Integer> tasks = new LinkedBlockingQueue<>();

        static void loop() {
            try {
                while (true) handle(tasks.take());
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        static void handle(int task) {
            handled += task;
        }
    }

    static void callAgainAndAgain() {
        for (int sum = 0; !ends; called++) sum += Short.sum(100 + (sum & 1));
    }

    static void startThreads() {
        while (!ends) {
            Thread one = new Thread(() -> Short.sum(1000), "one of many");
            one.start();
            try {
                one.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    static Thread start(String name, Runnable runs) {
        Thread thread = new Thread(runs, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static long rate() throws InterruptedException {
        long before = turns, virtual = virtualTurns;
        Thread.sleep(200);
        System.out.println((turns - before) + " " + (virtualTurns - virtual));
        return turns;
    }

    public static void main(String[] arguments) throws Exception {
        Thread hot = null;
        start("dispatcher", Dispatcher::loop);
        start("caller", Busy::callAgainAndAgain);
        start("starter", Busy::startThreads);
        System.out.println("ready");
        for (Scanner in = new Scanner(System.in); in.hasNext();) {
            String command = in.next();
            if (command.equals("rate")) rate();
            if (command.equals("begin")) {
                goes = true;
                hot = start("hot", Hot::loop);
                if (Runtime.version().feature() >= 21) {
                    Runnable virtual = Virtual::loop;
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, virtual);
                }
            }
            if (command.equals("end")) {
                goes = false;
                hot.join();
            }
            if (command.equals("call")) {
                long before = handled;
                for (int i = 0; i < 1000; i++) {
                    Hot.once();
                    Dispatcher.tasks.put(1);
                }
                while (handled < before + 1000) Thread.sleep(1);
            }
            if (!command.equals("rate")) System.out.println(command);
        }
        ends = true;
    }
}
