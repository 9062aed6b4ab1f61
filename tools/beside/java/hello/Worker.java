package hello;

import words.Words;

/** Counts the letters of a thousand words; every tenth one it refuses. */
final class Worker implements Runnable {
    static final int WORDS = 1000;

    private final int first;
    private int letters, refused;
    private Item last;

    /** A word as an object. */
    record Item(String word) {
    }

    Worker(int first) {
        this.first = first;
    }

    @Override
    public void run() {
        for (int i = 0; i < WORDS; i++) {
            try {
                letters += step(first + i);
            } catch (IllegalStateException e) {
                refused++;
            }
        }
    }

    private int step(int number) {
        if (number % 10 == 0) throw new IllegalStateException();
        last = new Item(Words.word(number));
        return last.word().length();
    }

    @Override
    public String toString() {
        return "worker " + first + ": " + letters + " letters, " + refused + " words refused, the last was " + last.word();
    }
}
