import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.ArrayList;
import java.util.List;

/** A server: `serve` is a request, in which `one` or `two` says what it is about; what is left of the request belongs to that. */
public class Onward {
    static long sink;

    static void leaf() {
        sink++;
    }

    /** Active around the handler: it begins in the request. */
    static void dispatch(String what) {
        leaf();
        route(what);
        leaf();
        around(2);
    }

    static void route(String what) {
        try {
            if (what.equals("one")) one();
            else if (what.equals("both")) both();
            else two();
        } catch (IllegalStateException e) {
            leaf();
        }
    }

    /** Also runs in what goes on, while `dispatch` does. */
    static void around(int n) {
        leaf();
        if (n > 1) around(n - 1);
    }

    static void one() {
        leaf();
    }

    static void two() {
        leaf();
        throw new IllegalStateException();
    }

    static void both() {
        one();
        held();
    }

    /** Active while another context begins to go on. */
    static void held() {
        leaf();
        try {
            two();
        } catch (IllegalStateException e) {
            leaf();
        }
        leaf();
    }

    static void serve(String what) {
        leaf();
        dispatch(what);
        leaf();
    }


    static void serveAndSubmit(SingleThreadEventExecutor queue) {
        one();
        queue.execute(Onward::task);
    }

    static void task() {
        leaf();
    }

    static void rounds(int n, SingleThreadEventExecutor queue) {
        for (int i = 0; i < n; i++) {
            serve("one");
            serve("two");
            serve("both");
            leaf();
            serveAndSubmit(queue);
            if (i % 100 == 99) Thread.yield();
        }
        one();
        leaf();
    }

    public static void main(String[] args) throws Exception {
        boolean virtual = args[0].equals("virtual");
        int threads = Integer.parseInt(args[1]), rounds = Integer.parseInt(args[2]);
        SingleThreadEventExecutor queue = new SingleThreadEventExecutor();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Runnable work = () -> rounds(rounds, queue);
            Thread thread = virtual ? (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work) : new Thread(work);
            if (!virtual) thread.start();
            all.add(thread);
        }
        for (Thread thread : all) thread.join();
        queue.end();
        System.out.println(sink > 0);
    }
}
