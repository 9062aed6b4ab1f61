package org.openjdk.jmh.infra;

/** As JMH has it: the JIT keeps what is given to an empty method that it was told is a blackhole. */
public class Blackhole {
    public static void consume(long value) {}

    public static long twice(long value) {
        return 2 * value;
    }
}
