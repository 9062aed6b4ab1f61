package allocations;

/** Main on a virtual thread, found by reflection: this is compiled for 17. */
final class Virtually {
    public static void main(String[] args) throws Exception {
        Runnable work = () -> Main.main(args);
        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work)).join();
    }
}
