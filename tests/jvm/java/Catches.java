import java.io.FileNotFoundException;
import java.io.IOException;

/** Handlers of exceptions: of several types, one within another, with `finally`, and such as never run. */
public class Catches {
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

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 100; i++) several(i);
        never();
        loops();
        System.out.println(ended);
    }
}
