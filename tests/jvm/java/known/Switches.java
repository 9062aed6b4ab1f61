package known;

/** Both switch instructions, over numbers, strings and enums; their padding moves with what is inserted before them. */
final class Switches {
    static int table(int n) { // calls 100 exceptions 20
        switch (n % 5) {
            case 0: return 10;
            case 1: return 11;
            case 2: throw new IllegalStateException("2");
            case 3: n++;
            default: return n;
        }
    }

    static String lookup(int n) { // calls 5
        return switch (n) {
            case -1000000 -> "minus";
            case 0 -> "none";
            case 1000 -> "many";
            case Integer.MAX_VALUE -> "all";
            default -> "other";
        };
    }

    static int string(String s) { // calls 5
        switch (s) {
            case "Aa": return 1;
            case "BB": return 2;
            case "": return 3;
            case "long enough": return 4;
        }
        return 0;
    }

    static int colour(Colour c) { // calls 6
        return switch (c) { // <clinit> calls 1
            case RED -> 1;
            case GREEN -> {
                int k = c.ordinal();
                yield k * 10;
            }
            case BLUE -> 3;
        };
    }

    /** The switch is the loop's head, at the first instructions. */
    static int machine(int state) { // calls 2
        for (;;) {
            switch (state) {
                case 0: state = 3; continue;
                case 1: return 100;
                case 2: state = 1; break;
                case 3: state = 2; continue;
                default: return -1;
            }
        }
    }

    /** Four of them, so that each padding (JVMS 6.5.tableswitch) occurs. */
    static int padding0(int n) { // calls 3
        switch (n) { case 1: return 5; case 2: return 6; }
        return 0;
    }

    static int padding1(int n) { // calls 3
        n++;
        switch (n) { case 1: return 5; case 2: return 6; }
        return 0;
    }

    static int padding2(long l, int n) { // calls 3
        switch (n) { case 1: return 5; case 2: return 6; case 3: return 7; }
        return (int) l;
    }

    static int padding3(int n) { // calls 3
        int k = -n;
        switch (-k) { case 1: return 5; case 1000: return 6; }
        return 0;
    }

    static void run() { // calls 1
        int sum = 0;
        for (int n = 0; n < 100; n++) {
            try {
                sum += table(n);
            } catch (IllegalStateException e) {
                sum += 1000;
            }
        }
        for (int n : new int[] {-1000000, 0, 1000, Integer.MAX_VALUE, 5}) sum += lookup(n).length();
        for (String s : new String[] {"Aa", "BB", "", "long enough", "C#"}) sum += string(s);
        for (int i = 0; i < 2; i++) for (Colour c : Colour.values()) sum += colour(c);
        sum += machine(0) + machine(7);
        for (int n = 0; n < 3; n++) sum += padding0(n) + padding1(n) + padding2(n, n) + padding3(n);
        System.out.println("switches " + sum + Colour.valueOf("RED"));
    }
}
