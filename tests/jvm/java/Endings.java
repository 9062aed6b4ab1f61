/** Makes 1,000 calls, says so while one more method is active, then ends in the way given. */
final class Endings {
    static int counted(int n) {
        return n + 1;
    }

    static void active(String how) throws Exception {
        System.out.println("ready");
        switch (how) {
            case "block" -> Thread.sleep(600_000);
            case "spin" -> { while (true) Thread.onSpinWait(); }
            case "halt" -> Runtime.getRuntime().halt(3);
            case "exit" -> System.exit(4);
            case "throw" -> throw new IllegalStateException("uncaught");
            default -> { }
        }
    }

    static void elsewhere(String how) {
        Thread other = new Thread(() -> {
            try {
                active(how);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        other.start();
        while (true) Thread.onSpinWait();
    }

    public static void main(String[] args) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        for (int i = 0, n = 0; i < 1000; i++) n = counted(n);
        if (args[0].endsWith("-elsewhere")) elsewhere(args[0].replace("-elsewhere", ""));
        active(args[0]);
    }
}
