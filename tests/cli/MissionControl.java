import java.io.File;
import java.util.TreeMap;
import org.openjdk.jmc.common.IMCFrame;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.jdk.JdkFilters;
import org.openjdk.jmc.flightrecorder.rules.RuleRegistry;
import org.openjdk.jmc.flightrecorder.rules.util.RulesToolkit;

/** Reads a recording as JDK Mission Control does, and prints its events, the methods of its samples, and what rules say. */
public class MissionControl {
    public static void main(String[] words) throws Exception {
        IItemCollection events = JfrLoaderToolkit.loadEvents(new File(words[0]));
        for (IItemIterable each : events)
            System.out.println("events\t" + each.getType().getIdentifier() + "\t" + each.getItemCount());
        TreeMap<String, Integer> samples = new TreeMap<>();
        for (IItemIterable each : events.apply(JdkFilters.EXECUTION_SAMPLE)) {
            IMemberAccessor<IMCStackTrace, IItem> stack = JfrAttributes.EVENT_STACKTRACE.getAccessor(each.getType());
            for (IItem one : each) {
                IMCFrame top = stack.getMember(one).getFrames().get(0);
                String name = top.getMethod().getType().getFullName() + "." + top.getMethod().getMethodName();
                samples.merge(name, 1, Integer::sum);
            }
        }
        samples.forEach((name, count) -> System.out.println("samples\t" + name + "\t" + count));
        for (var one : RulesToolkit.evaluateParallel(RuleRegistry.getRules(), events, null, 1).entrySet()) {
            var found = one.getValue();
            System.out.println("rule\t" + one.getKey().getId() + "\t" + found.get().getSeverity() + "\t"
                + String.valueOf(found.get().getSummary()).replaceAll("\\s+", " "));
        }
    }
}
