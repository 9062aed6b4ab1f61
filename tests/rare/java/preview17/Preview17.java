/** A class of a preview version (minor_version 65535), with a pattern switch as 17 previewed it. */
public class Preview17 {
    public static String run(int n) { // calls 8 exceptions 1
        Object o = n == 0 ? null : n % 2 == 0 ? Integer.valueOf(12 / (n - 4)) : "text" + n;
        return kind(o);
    }

    static String kind(Object o) { // calls 7
        return switch (o) {
            case null -> "null";
            case Integer i && i > 3 -> "large " + i;
            case Integer i -> "int " + i;
            case String s -> s;
            default -> "other";
        };
    }
}
