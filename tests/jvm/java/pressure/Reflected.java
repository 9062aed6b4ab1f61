import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

/** Calls by reflection so often that JDKs before 18 make classes for it. */
public final class Reflected {
    public Reflected() {
    }

    public static void called() {
    }

    public static void main(String[] args) throws Exception {
        Constructor<Reflected> constructor = Reflected.class.getConstructor();
        Method method = Reflected.class.getMethod("called");
        for (int i = 0; i < 100; i++) {
            constructor.newInstance();
            method.invoke(null);
        }
    }
}
