/** Initialises a class, and prints what is wrong with it. */
public class Linked {
    public static void main(String[] args) throws ClassNotFoundException {
        try {
            Class.forName(args[0]);
        } catch (LinkageError error) {
            System.out.println(error);
        }
    }
}
