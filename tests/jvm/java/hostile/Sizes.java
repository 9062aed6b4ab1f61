import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** One class, Maker, in two loaders whose Product classes differ in size; and a class whose name is different in modified UTF-8. */
final class Sizes {
    /** Makes Product from the file of another class with a name of the same length. */
    static final class Own extends ClassLoader {
        final String product;

        Own(String product) {
            super(Sizes.class.getClassLoader());
            this.product = product;
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            if (!name.equals("Maker") && !name.equals("Product")) return super.loadClass(name);
            String file = name.equals("Product") ? product : name;
            try (InputStream in = getParent().getResourceAsStream(file + ".class")) {
                byte[] bytes = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).replace(file, name).getBytes(StandardCharsets.ISO_8859_1);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (String product : new String[] {"Product", "Prodigy"})
            ((Runnable) new Own(product).loadClass("Maker").getConstructor().newInstance()).run();
        for (int i = 0; i < 3; i++) new 𠮷野();
    }
}

class Product {
    int one;
}

class Prodigy {
    long one, two, three, four, five, six, seven, eight;
}

class 𠮷野 {
    long one;
}
