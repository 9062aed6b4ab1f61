import java.io.InputStream;

/** A class with signers, whose loader sets them; one that is never linked, of which there is an array; a loop over short calls. */
public class Signed {
    static class Unlinked {
        int number;

        void method() {}
    }

    static class Loader extends ClassLoader {
        Class<?> define() throws Exception {
            try (InputStream in = Signed.class.getResourceAsStream("Members.class")) {
                byte[] bytes = in.readAllBytes();
                Class<?> made = defineClass("Members", bytes, 0, bytes.length, Signed.class.getProtectionDomain());
                setSigners(made, new Object[] {"a signer"});
                return made;
            }
        }
    }

    static int sum;
    static volatile boolean ended; // never

    static void add(int i) {
        sum += i;
    }

    static void ready(Object c) {}

    static void loop() {
        while (!ended) add(1);
    }

    public static void main(String[] args) throws Exception {
        Object array = new Unlinked[2];
        Class<?> made = new Loader().define();
        made.getDeclaredConstructor().newInstance();
        ready(made);
        if (args.length > 0) loop();
        ready(array);
    }
}
