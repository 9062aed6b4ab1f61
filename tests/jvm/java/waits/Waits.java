/** Calls a native library that waits (waits.c), and prints how many of its calls were interrupted. */
public class Waits {
    static native int interrupted(int rounds);

    public static void main(String[] args) {
        System.load(args[0]);
        System.out.println(interrupted(Integer.parseInt(args[1])));
    }
}
