final class Hideable implements Runnable {
    @Override
    public void run() {
    }
}
