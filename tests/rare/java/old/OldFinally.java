/** Compiled by ecj for Java 1.1, so that each finally is a subroutine (jsr, ret). Called with 0 to 7. */
public class OldFinally {
    static int depth;
    int n;

    public static int run(int n) throws Exception { // calls 8 exceptions 1
        depth = 0;
        int sum = nested(n) + inLoop(n) * 10 + locked(n) * 100 + lockedTwice(new Object(), n) * 1000;
        return sum + new OldFinally(n).n + depth * 10000;
    }

    static int nested(int n) throws Exception { // calls 8 exceptions 1
        try {
            try {
                if (n == 1) return 1;
                if (n == 7) throw new Exception("seven");
                depth++;
            } finally {
                try {
                    depth += 2;
                    if (n == 2) return 5;
                } finally {
                    depth += 4;
                }
            }
        } finally {
            depth += 8;
        }
        return n;
    }

    static int inLoop(int n) { // calls 7
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            try {
                if (i == n) continue;
                if (i == n + 2) break;
                sum += 10 / (i - 3);
            } catch (ArithmeticException e) {
                sum += 100;
            } finally {
                sum++;
            }
        }
        return sum;
    }

    static synchronized int locked(int n) { // calls 7
        synchronized (OldFinally.class) {
            try {
                if (n == 3) return 3;
                synchronized ("inner") {
                    if (n == 4) return 4;
                    if (n == 5) throw new IllegalStateException("five");
                }
            } catch (IllegalStateException e) {
                return 55;
            } finally {
                depth++;
            }
        }
        return n;
    }

    static int lockedTwice(Object lock, int n) { // calls 7
        int sum = 0;
        for (int i = 0; i < 3; i++)
            synchronized (lock) {
                try {
                    synchronized (lock) {
                        sum += i;
                        if (i == n) break;
                    }
                } finally {
                    sum *= 2;
                }
            }
        if (Thread.holdsLock(lock)) throw new IllegalStateException("still locked");
        return sum;
    }

    OldFinally(int n) { // calls 7
        super();
        try {
            this.n = n;
            if (n == 2) return;
        } finally {
            this.n++;
        }
    }
}
