/** Writes the same values to fields of every type. */
public class Written {
    boolean truth;
    byte small;
    char letter;
    short length;
    int number;
    long wide;
    float part;
    double exact;
    String text;
    Object any;
    static int shared;
    static double level;
    static String name;

    void set(int i) {
        truth = i % 2 == 0;
        small = (byte) (i - 3);
        letter = (char) ('a' + i);
        length = (short) (i * 1000);
        number = i - 5;
        wide = i * 10_000_000_000L;
        part = i / 4f;
        exact = i == 9 ? Double.NaN : i / 8.0;
        text = i == 4 ? null : "v" + i;
        any = i < 5 ? null : this;
    }

    static void share(int i) {
        for (int k = 0; k < 1; k++) shared = i;
        level = -i;
        name = i > 7 ? "high" : "low";
    }

    public static void main(String[] args) {
        Written written = new Written();
        for (int i = 0; i < 10; i++) {
            written.set(i);
            share(i);
        }
        System.out.println("done");
    }
}
