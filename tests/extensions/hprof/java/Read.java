import java.io.File;
import java.util.List;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;
import org.netbeans.lib.profiler.heap.JavaClass;

/** What NetBeans' reader finds in a file: instances of classes, and a static field's array. */
public class Read {
    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        for (String name : List.of("java.lang.String", "int[]", "Held")) {
            JavaClass one = heap.getJavaClassByName(name);
            System.out.println(name + " " + one.getInstancesCount());
        }
        int classes = 0;
        for (Object one : heap.getAllClasses()) if (((JavaClass) one).getName().equals("Held")) classes++;
        System.out.println("classes " + classes);
        Object kept = heap.getJavaClassByName("Held").getValueOfStaticField("kept");
        System.out.println("kept " + ((Instance) kept).getJavaClass().getName());
        System.out.println("roots " + heap.getGCRoots().size());
    }
}
