public class Wanted implements Runnable {
    public void run() {}
}
