import java.util.ArrayList;
import java.util.List;

/** All kinds of synchronized code that javac makes, each called often enough to be compiled. */
final class Locks {
    int n;
    final Object one = new Object(), two = new Object();

    synchronized int method(int i) {
        return n += i;
    }

    static synchronized Object ofClass(int i) {
        if (i % 7 == 0) throw new IllegalStateException();
        return new int[i & 3];
    }

    int block(int i) {
        synchronized (one) {
            return n += i;
        }
    }

    int throwing(int i) {
        synchronized (one) {
            if (i % 7 == 0) throw new IllegalStateException();
            return n += new int[] {i}[0];
        }
    }

    int nested(int i) {
        synchronized (one) {
            if (i % 3 == 0) return 1;
            synchronized (two) {
                if (i % 3 == 1) return 2;
                n += i;
            }
            n++;
        }
        return 3;
    }

    int inLoop(int i) {
        for (int k = 0; k < 8; k++) {
            synchronized (k % 2 == 0 ? one : two) {
                if (k == i % 8) break;
                if (k % 3 == 0) continue;
                n++;
            }
        }
        return n;
    }

    int withFinally(int i) {
        try {
            try {
                synchronized (one) {
                    if (i % 5 == 0) return -1;
                    if (i % 7 == 0) throw new IllegalStateException();
                    return n += i;
                }
            } finally {
                n++;
            }
        } catch (IllegalStateException e) {
            synchronized (two) {
                return n;
            }
        }
    }

    int inSwitch(int i) {
        synchronized (this) {
            return switch (i % 4) {
                case 0 -> n;
                case 1 -> { synchronized (one) { yield n++; } }
                case 2 -> throw new IllegalStateException();
                default -> new ArrayList<>(List.of(i)).size();
            };
        }
    }

    int resources(int i) {
        synchronized (one) {
            try (AutoCloseable c = () -> n++) {
                return n + i;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    synchronized long wide(long a, double b) {
        synchronized (two) {
            long sum = a;
            for (int k = 0; k < 3; k++) sum += (long) b;
            return sum;
        }
    }

    static int guarded(java.util.function.IntUnaryOperator f, int i) {
        try {
            return f.applyAsInt(i);
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    public static void main(String[] args) {
        Locks l = new Locks();
        long sum = 0;
        for (int i = 0, times = Integer.parseInt(args[0]); i < times; i++) {
            sum += l.method(i) + guarded(k -> ofClass(k).hashCode() & 0, i) + l.block(i) + guarded(l::throwing, i) + l.nested(i);
            sum += l.inLoop(i) + l.withFinally(i) + guarded(l::inSwitch, i) + l.resources(i) + l.wide(i, i);
        }
        System.out.println(sum + " " + Thread.holdsLock(l) + Thread.holdsLock(l.one) + Thread.holdsLock(l.two));
    }
}
