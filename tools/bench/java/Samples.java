import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Prints, of each sample of a recording (the event is given by its name), the method called last that is not the JDK's: how many samples, its class, name, descriptor. */
public class Samples {
    private static final String[] JDK = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

    public static void main(String[] args) throws Exception {
        Map<String, Integer> samples = new HashMap<>();
        try (var recording = new RecordingFile(Path.of(args[0]))) {
            while (recording.hasMoreEvents()) {
                var event = recording.readEvent();
                if (!event.getEventType().getName().equals(args[1]) || event.getStackTrace() == null) continue;
                for (RecordedFrame frame : event.getStackTrace().getFrames()) {
                    var method = frame.getMethod();
                    String name = method.getType().getName();
                    if (isJdk(name)) continue;
                    samples.merge(name + "\t" + method.getName() + "\t" + method.getDescriptor(), 1, Integer::sum);
                    break;
                }
            }
        }
        samples.forEach((name, n) -> System.out.println(n + "\t" + name));
    }

    private static boolean isJdk(String name) {
        for (String start : JDK) if (name.startsWith(start)) return true;
        return false;
    }
}
