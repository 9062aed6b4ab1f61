import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls tests/rare/asm/jsr.asm, by reflection, since it is not compiled with this. */
public class Subroutines {
    public static void main(String[] args) throws Exception {
        Method run = Class.forName("Jsr").getMethod("run", int.class);
        for (int n : new int[] {4, 7}) {
            try {
                System.out.println(run.invoke(null, n));
            } catch (InvocationTargetException e) {
                System.out.println(e.getCause());
            }
        }
    }
}
