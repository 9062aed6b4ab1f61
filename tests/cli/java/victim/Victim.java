package victim;

/** Its class file is damaged before it is loaded. */
public class Victim {
    static int twice(int n) {
        return n * 2;
    }

    static String name(Object o) {
        try {
            return o.toString();
        } catch (NullPointerException e) {
            return "null!";
        }
    }

    public static String work() {
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            switch (i) {
                case 1: sum += twice(i); break;
                case 2: sum += 7; break;
                default: sum++;
            }
        }
        return name(null) + new int[sum].length;
    }
}
