import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** Allocates several kinds of maps and others. */
public class Kinds {
    static class Own extends LinkedHashMap<String, String> {}

    static class Lists extends ArrayList<String> {}

    public static void main(String[] arguments) {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            Map<String, String> own = new Own();
            Map<?, ?>[] maps = {new LinkedHashMap<>(), own};
            Own[] owns = {null};
            sum += maps.length + owns.length + new Lists().size() + new StringBuilder("x").length();
        }
        System.out.println(sum);
    }
}
