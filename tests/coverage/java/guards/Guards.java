/** Each comment says what is missed in its line, in words. */
public class Guards {
    static int n;

    static int guarded(Object o) {
        return switch (o) { // switch: never the case in line 9, default
            case Integer v when v > 100 -> 1; // if (intValue() > 100): never false
            case String s when s.length() > 2 && n > 0 -> 2; // if (length() > 2), condition 1 of 2: never false | if (n > 0), condition 2 of 2: never true
            case Integer v -> 3;
            case String s -> 4;
            default -> 5;
        };
    }

    static int chars(char c) {
        switch (c) { // switch: never case '\n', case '\'', 'b', default
            case 'a':
                return 1;
            case '\n':
                return 2;
            case 'b':
            case '\'':
                return 3;
            default:
                return 4;
        }
    }

    public static void main(String[] args) {
        guarded(200);
        guarded("abc");
        chars('a');
    }
}
