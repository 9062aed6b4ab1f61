/** Takes Wanted's place in class files, so its name is as long. */
public class Ignore implements Runnable {
    public void run() {}
}
