package words;

/** A dependency of Hello's, in another jar or bundle. */
public final class Words {
    private static final String[] WORDS = {"count", "time", "alloc", "budget", "sample"};

    private Words() {
    }

    public static String word(int number) {
        return WORDS[number % WORDS.length];
    }
}
