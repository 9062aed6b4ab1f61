package known21;

/** Programs that need Java 21; the comments are explained in known/All.java. */
final class All {
    public static void main(String[] args) throws Exception { // calls 1
        Patterns.run();
        Virtual.run();
    }
}
