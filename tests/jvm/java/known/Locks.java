package known;

/** Synchronized methods and blocks, left by falling through, by return and by exceptions. */
final class Locks {
    private int n;
    private final Object other = new Object();

    Locks() { // calls 1
    }

    synchronized int method(int k) { // calls 200 exceptions 40
        if (k % 5 == 0) throw new IllegalStateException("method");
        return n += k;
    }

    static synchronized int ofTheClass(int k) { // calls 200 exceptions 20
        if (k % 10 == 0) throw new IllegalStateException("class");
        return k;
    }

    /** 0: falls through, 1: returns inside, 2: throws inside, 3: returns between the locks, 4: throws between. */
    int blocks(int k) { // calls 200 exceptions 80
        synchronized (this) {
            n++;
            synchronized (other) {
                if (k % 5 == 1) return n;
                if (k % 5 == 2) throw new IllegalStateException("inside");
                n++;
            }
            if (k % 5 == 3) return -n;
            if (k % 5 == 4) throw new IllegalStateException("between");
        }
        return 0;
    }

    synchronized int again(int k) { // calls 66
        return k == 0 ? n : again(k - 1);
    }

    int caughtInside(int k) { // calls 10
        synchronized (this) {
            try {
                return method(k);
            } catch (IllegalStateException e) {
                return -1;
            } finally {
                n += 2;
            }
        }
    }

    int loopInside(int k) { // calls 10
        int sum = 0;
        for (int i = 0; i < k; i++) {
            synchronized (other) {
                if (i == 3) continue;
                if (i == 7) break;
                sum += i;
            }
        }
        return sum;
    }

    int lockOfLoopHead(int k) { // calls 3 exceptions 1
        while (true) {
            synchronized (this) {
                if (k-- == 0) return n;
                if (k > 8) throw new IllegalStateException("head");
            }
        }
    }

    static void run() { // calls 1
        Locks locks = new Locks();
        long sum = 0;
        for (int k = 0; k < 190; k++) {
            try {
                sum += locks.method(k);
            } catch (IllegalStateException e) {
                sum += check(locks, false);
            }
            try {
                sum += ofTheClass(k);
            } catch (IllegalStateException e) {
                sum++;
            }
            try {
                sum += locks.blocks(k);
            } catch (IllegalStateException e) {
                sum += check(locks, false);
            }
        }
        for (int k = 190; k < 200; k++) {
            sum += locks.caughtInside(k) + locks.loopInside(k - 190);
            try {
                sum += ofTheClass(k);
            } catch (IllegalStateException e) {
                sum++;
            }
            try {
                sum += locks.blocks(k);
            } catch (IllegalStateException e) {
                sum += check(locks, false);
            }
        }
        for (int k = 0; k < 11; k++) sum += locks.again(k);
        for (int k : new int[] {0, 4, 10}) {
            try {
                sum += locks.lockOfLoopHead(k);
            } catch (IllegalStateException e) {
                sum += check(locks, false);
            }
        }
        System.out.println("locks " + sum + Thread.holdsLock(locks) + Thread.holdsLock(locks.other));
    }

    /** Whatever throws has left its locks. */
    static int check(Locks locks, boolean held) { // calls 119
        if (Thread.holdsLock(locks) != held || Thread.holdsLock(locks.other) != held) throw new AssertionError("lock");
        return 1;
    }
}
