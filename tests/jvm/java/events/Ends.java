/** Ends in the way that its argument names. */
public class Ends {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "exits" -> System.exit(3);
            case "halts" -> Runtime.getRuntime().halt(3);
            case "hooks" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
                System.out.println("main");
            }
            case "waits" -> {
                System.out.println("main");
                Thread.sleep(600_000);
            }
            default -> {}
        }
    }
}
