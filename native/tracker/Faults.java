package java.lang;

import jdk.internal.vm.annotation.DontInline;

/** What scripts put into methods, to see what the program makes of it (instrument/agent/faults.py). */
final class Faults {
    /** Sleeps. An interrupt ends that, and is left to the program. */
    @DontInline
    public static void delay(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
