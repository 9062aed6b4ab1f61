/** Has a finalizer, for which the return of Object.<init> registers each new object. */
public class Finalized {
    static Object last;

    @Override
    @SuppressWarnings({"deprecation", "removal"})
    protected void finalize() { last = null; }

    public static void main(String[] args) {
        last = new Finalized();
        for (int i = 0; i < 20_000; i++) last = new Object();
        System.out.println("done");
    }
}
