/** Initialises classes, then runs the first one's `main`: what the interpreter executes while it resolves a constant makes no events of single steps. */
public class Initialised {
    public static void main(String[] names) throws Exception {
        for (String name : names) Class.forName(name);
        Class.forName(names[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}
