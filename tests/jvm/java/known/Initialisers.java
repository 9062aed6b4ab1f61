package known;

/** Static initialisers, also one that throws. */
final class Initialisers {
    static class Good {
        static int n = 1; // <clinit> calls 1

        static {
            for (int i = 0; i < 10; i++) n += i;
        }
    }

    static class Bad {
        static int n = Integer.parseInt("x"); // <clinit> calls 1 exceptions 1
    }

    interface Lazy {
        int N = Integer.parseInt("7"); // <clinit> calls 1

        default int seven() { // calls 1
            return N;
        }
    }

    static class Once implements Lazy { // <init> calls 1
    }

    static void run() { // calls 1
        System.out.println("initialisers " + Good.n + new Once().seven());
        for (int i = 0; i < 2; i++) {
            try {
                System.out.println(Bad.n);
            } catch (LinkageError e) {
                System.out.println(e.getClass().getName());
            }
        }
    }
}
