import java.io.FileNotFoundException;
import java.io.IOException;

/** Exceptions that are thrown and caught: handlers of several types, one within another, with `finally`, and such as
 * never run; what is thrown is decided when it is, or caught before. */
public class Exceptions {
    static int ended;

    static void raise(int i) throws Exception {
        switch (i % 5) {
            case 0: throw new IOException();
            case 1: throw new FileNotFoundException();
            case 2: throw new IllegalStateException();
            case 3: Object[] none = new Object[0]; none[i] = none; return; // ArrayIndexOutOfBoundsException
            default:
        }
    }

    static void file(int i) throws Exception {
        try { raise(i); } catch (FileNotFoundException e) { ended++; } catch (IOException e) { ended--; }
        finally { ended += 2; }
    }

    static void several(int i) throws Exception {
        try { file(i); } catch (IllegalStateException | IndexOutOfBoundsException e) { ended++; }
    }

    static void never() { try { ended++; } catch (Error e) { ended--; } }

    static void loops() { // a handler that a loop jumps around, and whose range has the handler's own code
        for (int i = 0; i < 10; i++) try { if (i % 2 == 0) throw new RuntimeException(); } catch (RuntimeException e) { continue; }
    }

    static class Own extends IllegalStateException { }

    static class Closed implements AutoCloseable {
        @Override public void close() throws IOException { ended++; }
    }

    static void rethrows(Exception e) throws Exception { throw e; }

    static void nothing() { RuntimeException none = null; throw none; }

    /** All of it passes on what was thrown elsewhere, but for the first `throw`. */
    static void cleans(int i) throws Exception {
        try (Closed one = new Closed(); Closed other = new Closed()) {
            synchronized (one) {
                try {
                    if (i % 2 == 0) throw new Own();
                    rethrows(new FileNotFoundException());
                } finally {
                    for (int k = 0; k < 2; k++) if (i + k > 0) ended++;
                }
            }
        }
    }

    static void again(int i) throws Exception {
        try { cleans(i); } catch (IOException e) { throw e; } finally { if (i == 3) throw new Error(); }
    }

    static int thrown() {
        int caught = 0;
        for (int i = 0; i < 10; i++) {
            try { again(i); } catch (Throwable e) { caught++; }
            try { nothing(); } catch (NullPointerException e) { caught++; }
        }
        return caught;
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 100; i++) several(i);
        never();
        loops();
        System.out.println(ended);
        if (words.length > 0) System.out.println(thrown());
    }
}
