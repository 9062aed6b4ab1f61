import java.nio.file.Path;

/** Starts itself as a child, `generations` deep, with the same java and class path; each calls `born` once. */
final class Family {
    static void born(int generations) {
        System.out.println("born " + generations);
    }

    public static void main(String[] args) throws Exception {
        int generations = Integer.parseInt(args[0]);
        born(generations);
        if (generations == 0) return;
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var child = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), "Family", "" + (generations - 1));
        System.exit(child.inheritIO().start().waitFor() + 1);
    }
}
