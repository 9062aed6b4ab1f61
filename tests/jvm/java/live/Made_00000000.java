/** What the classes that Comers defines are made of. */
public class Made_00000000 implements Runnable {
    static Object kept;

    public void run() {
        kept = called(new Made_00000000());
        called(null);
    }

    static Object called(Made_00000000 one) {
        return one == null ? null : "version 00000000";
    }
}
