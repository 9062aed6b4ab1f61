import java.util.function.Predicate;

/** Asked about names by the loader that defined it. It needs only Object from its loader, which has already been asked for that. */
public class Filter implements Predicate<Object> {
    private static Object forbidden;
    private static int asked;

    public Filter() {
    }

    @Override
    public boolean test(Object name) {
        asked++;
        if (forbidden == null) forbidden = "forbidden.Thing";
        return !forbidden.equals(name);
    }

    @Override
    public int hashCode() {
        return asked;
    }
}
