import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Puts a call with a number at the entry of each method of the classes that a file names; prints the mean microseconds per class. */
public class AsmWeave {
    static int probes;
    static long written;

    static byte[] weave(byte[] data) {
        ClassReader reader = new ClassReader(data);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                return new MethodVisitor(api, super.visitMethod(access, name, descriptor, signature, exceptions)) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        int probe = probes++;
                        if (probe <= Short.MAX_VALUE) super.visitIntInsn(Opcodes.SIPUSH, probe);
                        else super.visitLdcInsn(probe);
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Tracker", "count", "(I)V", false);
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        List<byte[]> classes = new ArrayList<>();
        for (String name : Files.readAllLines(Path.of(args[0])))
            classes.add(Files.readAllBytes(folder.resolve(name.replace('.', '/') + ".class")));
        long took = 0;
        for (byte[] data : classes) {
            long start = System.nanoTime();
            written += weave(data).length;
            took += System.nanoTime() - start;
        }
        System.out.printf(java.util.Locale.ROOT, "%d probes, %d bytes%n%.2f%n", probes, written, took / 1e3 / classes.size());
    }
}
