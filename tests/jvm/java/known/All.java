package known;

/**
 * Programs whose counts are known. A comment at the end of a method's first line says them, as in `calls 10 exceptions 3`
 * or `calls 10 completed 8 exceptions 3`; without `completed` every call has ended, without `exceptions` none threw.
 * What has no line of its own is named: `lambda calls 2`, `bridge compareTo calls 2`, `<init> calls 1` for a constructor that
 * javac makes; several are separated by semicolons. A method without such a comment is never called.
 */
final class All {
    public static void main(String[] args) throws Exception { // calls 1
        Recursion.run();
        Exceptions.run();
        Constructors.run();
        Initialisers.run();
        Interfaces.run();
        Locks.run();
        Generics.run();
        Switches.run();
        Flow.run();
        Shapes.run();
        Threads.run();
    }
}
