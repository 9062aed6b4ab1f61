/** Each comment says what is missed in its line, in words. */
public class Missed {
    enum Colour { RED, GREEN, BLUE }

    static int field = 3;

    static boolean yes() {
        return true;
    }

    static void conditions(int x, boolean flag, Object o, double d, long n) {
        if (x > 0) { // if (x > 0): never false
            field++;
        }
        if (x < 0) { // if (x < 0): never true
            field++;
        }
        if (flag) { // if (flag): never false
            field++;
        }
        if (!flag) { // if (!flag): never true
            field++;
        }
        if (o == null) { // if (o == null): never true
            field++;
        }
        if (flag && x > 0) { // if (flag), condition 1 of 2: never false | if (x > 0), condition 2 of 2: never false
            field++;
        }
        if (flag || x > 0) { // if (flag), condition 1 of 2: never false | if (x > 0), condition 2 of 2: never reached
            field++;
        }
        if (d > 2.5) { // if (d > 2.5): never true
            field++;
        }
        boolean both = n == 5L && yes(); // if (n == ...), condition 1 of 2: never false | if (yes()), condition 2 of 2: never false
        System.out.print(both + "");
        int y = field > 100 ? 1 : 2; // if (field > 100): never true
        for (int i = 0; i < 3; i++) {
            field++;
        }
        while (field < 0) { // while (field < 0): never true
            field++;
        }
        do { field++; } while (field < 0); // while (field < 0): never true
        if (o instanceof String) { // if (o instanceof String): never false
            field++;
        }
    }

    static void switches(int x, String text, Colour colour) {
        switch (x) { // switch: never case 2, case 3, 7
            case 1:
                field++;
                break;
            case 2:
                field--;
                break;
            case 3:
            case 7:
                field -= 2;
                break;
            default:
                field += 2;
        }
        switch (text) { // switch: never case "b", default
            case "a":
                field++;
                break;
            case "b":
                field--;
                break;
            default:
                field += 3;
        }
        switch (colour) { // switch: never the case in line 81, default
            case RED:
                field++;
                break;
            case GREEN:
                field--;
                break;
            default:
                field += 4;
        }
    }

    public static void main(String[] args) {
        conditions(5, true, "", 1.5, 5L);
        switches(1, "a", Colour.RED);
        switches(9, "a", Colour.RED);
    }
}
