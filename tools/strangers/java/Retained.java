import java.io.File;
import java.io.PrintStream;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;

/** What another reader finds in a dump: of each class `class NAME COUNT`, then of each object `ID SIZE RETAINED`, all in its own sizes. */
public class Retained {
    public static void main(String[] words) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(words[0]));
        try (PrintStream out = new PrintStream(words[1])) {
            for (Object of : heap.getAllClasses()) {
                JavaClass one = (JavaClass) of;
                out.println("class " + one.getName() + " " + one.getInstancesCount());
                for (Object instance : one.getInstances()) {
                    Instance object = (Instance) instance;
                    out.println(object.getInstanceId() + " " + object.getSize() + " " + object.getRetainedSize());
                }
            }
        }
    }
}
