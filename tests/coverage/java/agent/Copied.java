public class Copied {
    public static void run(String way) {
        if (way.equals("left"))
            System.out.println("left");
        else
            System.out.println("right");
    }
}
