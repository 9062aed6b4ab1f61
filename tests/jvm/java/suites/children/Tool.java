package suite;

import java.io.File;

/** What runs in children: a method for each way. */
public class Tool {
    public static void main(String[] arguments) throws Exception {
        System.out.println(arguments[0]);
        if (System.getenv("CLASSHOOK_TEST") != null) throw new AssertionError("the environment has another variable");
        switch (arguments[0]) {
            case "built" -> built();
            case "executed" -> executed();
            case "shell" -> shell();
            case "pool" -> pool();
            case "parent" -> parent();
            case "grandchild" -> grandchild();
            case "service" -> serve(new File("asked"));
            default -> none();
        }
    }

    static int built() { return 1; }

    static int executed() { return 1; }

    static int shell() { return 1; }

    static int pool() { return 1; }

    static int grandchild() { return 1; }

    static int none() { return 1; }

    static void parent() throws Exception {
        String java = System.getProperty("java.home") + "/bin/java";
        Process child = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "suite.Tool", "grandchild").start();
        System.out.write(child.getInputStream().readAllBytes());
        System.out.flush();
    }

    static void serve(File asked) throws Exception {
        System.out.flush();
        while (!asked.exists()) Thread.sleep(5);
        asked.delete();
    }
}
