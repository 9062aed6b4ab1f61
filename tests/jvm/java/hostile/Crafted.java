import java.io.InputStream;
import java.lang.invoke.MethodHandles;

/** Defines a class woven ahead of time as a hidden class; its own methods count, too. */
final class Crafted {
    static int own(int n) {
        return n + 1;
    }

    public static void main(String[] args) throws Exception {
        int sum = own(0);
        try (InputStream in = Crafted.class.getResourceAsStream("Hideable.class")) {
            Class<?> hidden = MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), true).lookupClass();
            for (int i = 0; i < 1000; i++) ((Runnable) hidden.getDeclaredConstructor().newInstance()).run();
        }
        System.out.println(sum);
    }
}
