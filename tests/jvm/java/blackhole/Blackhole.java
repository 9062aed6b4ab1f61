package org.openjdk.jmh.infra;

/** Like JMH's: the JIT does not eliminate values passed to an empty method that is declared a blackhole. */
public class Blackhole {
    public static void consume(long value) {}

    public static long twice(long value) {
        return 2 * value;
    }
}
