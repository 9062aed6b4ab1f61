import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** The part of the corpus run in a JVM: extracts a JDK's classes, links classes, shows them with javap. */
public class Corpus {
    public static void main(String[] words) throws Exception {
        Path out = Path.of(words[1]);
        switch (words[0]) {
            case "extract" -> extract(out, words.length > 2 ? Integer.parseInt(words[2]) : Integer.MAX_VALUE, words.length > 3 ? words[3] + "/" : "");
            case "link" -> {
                Path jar = words[2].equals("-") ? null : Path.of(words[2]);
                link(out, jar, words.length > 3 ? Set.copyOf(Files.readAllLines(Path.of(words[3]))) : null);
            }
            case "javap" -> javap(out, Path.of(words[2]));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    /** Writes the class files of this JVM's modules, as module/path.class, to a jar: those whose names begin so; if there are too many, a fixed sample. */
    static void extract(Path out, int most, String begin) throws IOException {
        List<String> names = new ArrayList<>(systemClasses());
        names.removeIf(name -> !name.startsWith(begin));
        Collections.shuffle(names, new Random(17));
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(out))) {
            jar.setMethod(ZipOutputStream.STORED);
            for (String name : names.subList(0, Math.min(most, names.size()))) {
                byte[] data = Files.readAllBytes(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/" + name));
                CRC32 crc = new CRC32();
                crc.update(data);
                ZipEntry entry = new ZipEntry(name);
                entry.setSize(data.length);
                entry.setCrc(crc.getValue());
                jar.putNextEntry(entry);
                jar.write(data);
            }
        }
    }

    /** module/path.class of all classes of this JVM's modules, sorted. */
    static List<String> systemClasses() throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(modules)) {
            return files.filter(f -> f.toString().endsWith(".class")).map(f -> modules.relativize(f).toString()).sorted().toList();
        }
    }

    /**
     * Links the classes of the JVM's modules, of a jar, or of each jar in a folder, which then has a class loader of its
     * own; prints one line each: its name, after that of the module or of the jar in the folder, then "ok" or the error
     * and its message.
     */
    static void link(Path out, Path jar, Set<String> chosen) throws IOException {
        boolean many = jar != null && Files.isDirectory(jar);
        List<String> files = jar == null ? systemClasses() : many ? classesOfJars(jar) : jarClasses(jar);
        ClassLoader own = jar == null || many ? null : loader(jar);
        String last = null;
        try (BufferedWriter lines = Files.newBufferedWriter(out)) {
            for (String file : files) {
                int start = jar == null || many ? file.indexOf('/') + 1 : 0;
                if (many && !file.substring(0, start).equals(last)) {
                    last = file.substring(0, start);
                    own = loader(jar.resolve(last.substring(0, start - 1)));
                }
                if (file.endsWith("module-info.class") || chosen != null && !chosen.contains(file)) continue;
                String name = file.substring(start, file.length() - ".class".length()).replace('/', '.');
                String result;
                try {
                    ClassLoader loader = own;
                    if (jar == null) {
                        Optional<Module> module = ModuleLayer.boot().findModule(file.substring(0, start - 1));
                        if (module.isEmpty()) throw new IllegalStateException("not in the boot layer");
                        loader = module.get().getClassLoader();
                    }
                    Class.forName(name, false, loader).getDeclaredMethods(); // links the class without initialising it
                    result = "ok";
                } catch (Throwable error) {
                    result = error.getClass().getName() + "\t" + String.valueOf(error.getMessage()).lines().limit(6).collect(Collectors.joining(" | "));
                }
                lines.write(file + "\t" + result + "\n");
            }
        }
    }

    static ClassLoader loader(Path jar) throws IOException {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
    }

    /** jar/path.class of the classes of all jars in a folder, jar by jar. */
    static List<String> classesOfJars(Path folder) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> jars = Files.list(folder)) {
            for (Path jar : jars.sorted().toList()) {
                jarClasses(jar).forEach(name -> found.add(jar.getFileName() + "/" + name));
            }
        }
        return found;
    }

    /** The classes that this JVM finds in a jar, sorted; in a multi-release jar, those for its release. */
    static List<String> jarClasses(Path path) throws IOException {
        try (JarFile jar = new JarFile(path.toFile(), false, ZipFile.OPEN_READ, Runtime.version())) {
            return jar.versionedStream().map(ZipEntry::getName)
                .filter(n -> n.endsWith(".class") && !n.startsWith("META-INF/")).distinct().sorted().toList();
        }
    }

    /** Runs `javap -v -p` on all class files of a directory; prints its complaints, with the file's name. */
    static void javap(Path out, Path folder) throws IOException {
        ToolProvider javap = ToolProvider.findFirst("javap").orElseThrow();
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        try (BufferedWriter lines = Files.newBufferedWriter(out)) {
            for (Path file : files) {
                Complaints complaints = new Complaints();
                PrintWriter writer = new PrintWriter(complaints);
                int status = javap.run(writer, writer, "-v", "-p", file.toString());
                writer.flush();
                String said = complaints.found.stream().sorted().limit(5).collect(Collectors.joining(" | "));
                lines.write(folder.relativize(file) + "\t" + complaints.lines + "\t" + (status == 0 ? "" : "status " + status + " ") + said + "\n");
            }
        }
    }

    /** Keeps only those written lines that report a problem. */
    static class Complaints extends Writer {
        static final Pattern BAD = Pattern.compile(
            "^(Error|error|Warning|warning|Exception in|java\\.lang\\.\\w+(Error|Exception)): |^\\?\\?\\?"
            + "|Error: (#\\d|unexpected|malformed|invalid|Not a |Bad )");
        final Set<String> found = new HashSet<>();
        final StringBuilder line = new StringBuilder();
        int lines;

        @Override
        public void write(char[] text, int from, int count) {
            for (int i = from; i < from + count; i++) {
                if (text[i] != '\n') {
                    if (line.length() < 200) line.append(text[i]);
                    continue;
                }
                lines++;
                String said = line.toString().strip();
                if (BAD.matcher(said).find()) found.add(said);
                line.setLength(0);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
