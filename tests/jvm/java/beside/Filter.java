import java.util.function.Predicate;

/** What a loader that defined it asks about a name. It needs nothing of its loader but Object, which that one was asked for already. */
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
