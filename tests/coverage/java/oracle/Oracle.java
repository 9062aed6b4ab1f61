import java.io.File;
import java.io.FileInputStream;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.IBundleCoverage;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.ICoverageNode;
import org.jacoco.core.analysis.ILine;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.analysis.IPackageCoverage;
import org.jacoco.core.analysis.ISourceFileCoverage;
import org.jacoco.core.analysis.ISourceNode;
import org.jacoco.core.data.ExecutionDataReader;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.tools.ExecFileLoader;

/** Oracle CLASSES EXEC...: JaCoCo's counters of a jar or folder, for the data of each EXEC (or - for none), one node a line.
 * Oracle CLASSES -sessions EXEC: the same for the classes that follow each session in the file, with its id. */
public class Oracle {
    public static void main(String[] args) throws Exception {
        if (args[1].equals("-sessions")) {
            for (Map.Entry<String, ExecutionDataStore> one : sessions(args[2]).entrySet()) {
                System.out.println("data\t" + one.getKey());
                analyze(new File(args[0]), one.getValue());
            }
            return;
        }
        for (int i = 1; i < args.length; i++) {
            System.out.println("data\t" + i);
            ExecFileLoader data = new ExecFileLoader();
            if (!args[i].equals("-")) {
                data.load(new File(args[i]));
            }
            analyze(new File(args[0]), data.getExecutionDataStore());
        }
    }

    static Map<String, ExecutionDataStore> sessions(String exec) throws Exception {
        Map<String, ExecutionDataStore> found = new LinkedHashMap<>();
        ExecutionDataStore[] last = new ExecutionDataStore[1];
        try (InputStream in = new FileInputStream(exec)) {
            ExecutionDataReader reader = new ExecutionDataReader(in);
            reader.setSessionInfoVisitor(session -> found.put(session.getId(), last[0] = new ExecutionDataStore()));
            reader.setExecutionDataVisitor(data -> last[0].put(data));
            while (reader.read()) {
            }
        }
        return found;
    }

    static void analyze(File classes, ExecutionDataStore data) throws Exception {
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(data, builder);
        if (classes.isDirectory()) {
            analyzer.analyzeAll(classes);
        } else {
            try (ZipFile zip = new ZipFile(classes)) {
                for (ZipEntry entry : java.util.Collections.list(zip.entries())) {
                    if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/versions/")) {
                        try (InputStream in = zip.getInputStream(entry)) {
                            analyzer.analyzeClass(in, entry.getName());
                        }
                    }
                }
            }
        }
        IBundleCoverage bundle = builder.getBundle("all");
        node("bundle", "all", bundle);
        for (IPackageCoverage one : bundle.getPackages()) {
            node("package", one.getName(), one);
        }
        for (ISourceFileCoverage one : builder.getSourceFiles()) {
            node("source", one.getPackageName() + "/" + one.getName(), one);
            lines(one);
        }
        for (IClassCoverage one : builder.getClasses()) {
            node("class", one.getName(), one);
            for (IMethodCoverage method : one.getMethods()) {
                node("method", one.getName() + "." + method.getName() + method.getDesc(), method);
                lines(method);
            }
        }
    }

    static void node(String kind, String name, ICoverageNode node) {
        ICounter[] counters = {
            node.getInstructionCounter(), node.getBranchCounter(), node.getLineCounter(),
            node.getComplexityCounter(), node.getMethodCounter(), node.getClassCounter()};
        StringBuilder text = new StringBuilder();
        for (ICounter counter : counters) {
            text.append('\t').append(counter.getMissedCount()).append('\t').append(counter.getCoveredCount());
        }
        System.out.println(kind + "\t" + name + text);
    }

    static void lines(ISourceNode node) {
        for (int i = node.getFirstLine(); i <= node.getLastLine(); i++) {
            ILine line = node.getLine(i);
            if (line.getInstructionCounter().getTotalCount() > 0) {
                System.out.println("line\t" + i + "\t" + line.getInstructionCounter().getMissedCount()
                    + "\t" + line.getInstructionCounter().getCoveredCount() + "\t" + line.getBranchCounter().getMissedCount()
                    + "\t" + line.getBranchCounter().getCoveredCount());
            }
        }
    }
}
