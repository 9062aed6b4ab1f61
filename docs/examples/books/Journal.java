package books;

import java.util.ArrayList;
import java.util.List;

/** Each request, for ever. One thread writes at a time, slowly. */
final class Journal {
    record Line(String text, byte[] signature) {}

    private final List<Line> lines = new ArrayList<>();

    synchronized void write(String text) {
        lines.add(new Line(text, new byte[64]));
        try {
            Thread.sleep(2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (lines.size() % 40 == 0) System.gc(); // to be safe
    }
}
