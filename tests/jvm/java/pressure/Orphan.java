/** Starts a child that lives on while this file exists, and kills itself. */
final class Orphan {
    static void counted() {
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 1000; i++) counted();
        new ProcessBuilder("sh", "-c", "while [ -e \"$0\" ]; do sleep 0.1; done", args[0]).start();
        System.out.println("child");
        String me = String.valueOf(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-KILL", me).start().waitFor();
        Thread.sleep(60_000);
    }
}
