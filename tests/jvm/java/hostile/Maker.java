public final class Maker implements Runnable {
    @Override
    public void run() {
        for (int i = 0; i < 10; i++) new Product();
    }
}
