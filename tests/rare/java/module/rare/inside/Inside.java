package rare.inside;

/** Lies in a named module. */
public class Inside {
    public static String run(int n) { // calls 8
        return Inside.class.getModule() + " " + n;
    }
}
