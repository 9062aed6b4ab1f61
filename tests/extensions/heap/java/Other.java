import java.io.File;
import java.util.Collection;
import java.util.List;
import org.netbeans.lib.profiler.heap.FieldValue;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.ObjectArrayInstance;
import org.netbeans.lib.profiler.heap.ObjectFieldValue;

/** What another reader finds in a dump: each instance and array with what it refers to, as `classhook heap --level 1` writes them. */
public class Other {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        StringBuilder out = new StringBuilder();
        for (Instance one : heap.getAllInstances()) {
            out.append(Long.toHexString(one.getInstanceId())).append(' ').append(one.getJavaClass().getName()).append('\n');
            if (one instanceof ObjectArrayInstance) {
                int i = 0;
                for (Object value : ((ObjectArrayInstance) one).getValues()) {
                    out.append("  [").append(i++).append("] -> ").append(id(value)).append('\n');
                }
                continue;
            }
            for (FieldValue value : one.getFieldValues()) {
                if (value instanceof ObjectFieldValue) {
                    out.append("  ").append(value.getField().getName()).append(" -> ").append(id(((ObjectFieldValue) value).getInstance()))
                        .append('\n');
                } else if (!value.getField().getType().getName().equals("char")) {
                    out.append("  ").append(value.getField().getName()).append(" = ").append(value.getValue()).append('\n');
                }
            }
        }
        System.out.print(out);
    }

    private static String id(Object instance) {
        return instance == null ? "0" : Long.toHexString(((Instance) instance).getInstanceId());
    }
}
