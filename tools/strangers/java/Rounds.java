import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Calls the `main` of a program again and again, and prints a line before each round. Arguments: the program's name, the
 * number of rounds, and, where that is 0, the milliseconds after which no further round begins.
 */
public class Rounds {
    public static void main(String[] words) throws Throwable {
        Method main = Class.forName(words[0]).getMethod("main", String[].class);
        int rounds = Integer.parseInt(words[1]);
        long end = System.nanoTime() + 1_000_000 * Long.parseLong(words[2]);
        for (int i = 1; rounds == 0 ? i == 1 || System.nanoTime() < end : i <= rounds; i++) {
            System.out.println("-- round " + i);
            try {
                main.invoke(null, (Object) new String[0]);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
