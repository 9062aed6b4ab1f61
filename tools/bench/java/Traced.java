import static org.openjdk.btrace.core.BTraceUtils.Aggregations.addToAggregation;
import static org.openjdk.btrace.core.BTraceUtils.Aggregations.newAggregation;
import static org.openjdk.btrace.core.BTraceUtils.Aggregations.newAggregationKey;
import static org.openjdk.btrace.core.BTraceUtils.Aggregations.printAggregation;
import static org.openjdk.btrace.core.BTraceUtils.println;
import static org.openjdk.btrace.core.BTraceUtils.str;
import static org.openjdk.btrace.core.BTraceUtils.Strings.strcat;

import org.openjdk.btrace.core.aggregation.Aggregation;
import org.openjdk.btrace.core.aggregation.AggregationFunction;
import org.openjdk.btrace.core.annotations.BTrace;
import org.openjdk.btrace.core.annotations.Duration;
import org.openjdk.btrace.core.annotations.Kind;
import org.openjdk.btrace.core.annotations.Location;
import org.openjdk.btrace.core.annotations.OnMethod;
import org.openjdk.btrace.core.annotations.Where;

/** BTrace's handlers of the method that Handled calls; each class is a script. */
class Traced {
    @BTrace public static class Counts {
        private static long calls;

        @OnMethod(clazz = "Handled", method = "place")
        public static void placing(String what, int count) { calls++; }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println(strcat("calls ", str(calls))); }
    }

    @BTrace public static class Keys {
        private static Aggregation calls = newAggregation(AggregationFunction.COUNT);

        @OnMethod(clazz = "Handled", method = "place")
        public static void placing(String what, int count) { addToAggregation(calls, newAggregationKey(what), 1); }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() {
            println("calls all");
            printAggregation("calls", calls);
        }
    }

    @BTrace public static class Prints {
        @OnMethod(clazz = "Handled", method = "place")
        public static void placing(String what, int count) { println(strcat(strcat(what, " "), str(count))); }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println("calls all"); }
    }

    @BTrace public static class Above {
        private static long calls;

        @OnMethod(clazz = "Handled", method = "place")
        public static void placing(String what, int count) { if (count > 63) calls++; }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println(strcat("calls ", str(calls))); }
    }

    @BTrace public static class TimedKeys {
        private static Aggregation took = newAggregation(AggregationFunction.AVERAGE);
        private static long calls;

        @OnMethod(clazz = "Handled", method = "place", location = @Location(Kind.RETURN))
        public static void placed(String what, int count, @Duration long ns) {
            addToAggregation(took, newAggregationKey(what), ns);
            calls++;
        }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() {
            println(strcat("calls ", str(calls)));
            printAggregation("took", took);
        }
    }

    @BTrace public static class Seldom {
        private static long calls;

        @OnMethod(clazz = "Handled", method = "place")
        public static void placing(String what, int count) {
            if (count == 127) {
                println(strcat(strcat(what, " "), str(count)));
                calls++;
            }
        }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println(strcat("calls ", str(calls))); }
    }

    @BTrace public static class Calls {
        private static long calls;

        @OnMethod(clazz = "Handled", method = "burst", location = @Location(value = Kind.CALL, clazz = "Handled", method = "place"))
        public static void calling() { calls++; }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println(strcat("calls ", str(calls))); }
    }

    @BTrace public static class TimedCalls {
        private static long calls, took;

        @OnMethod(clazz = "Handled", method = "burst",
            location = @Location(value = Kind.CALL, clazz = "Handled", method = "place", where = Where.AFTER))
        public static void called(@Duration long ns) {
            calls++;
            took += ns;
        }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println(strcat("calls ", str(calls))); }
    }

    @BTrace public static class Lines {
        private static long calls;

        @OnMethod(clazz = "Handled", method = "place", location = @Location(value = Kind.LINE, line = 19))
        public static void at() { calls++; }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println(strcat("calls ", str(calls))); }
    }

    @BTrace public static class Writes {
        private static long calls;

        @OnMethod(clazz = "Handled", method = "place", location = @Location(value = Kind.FIELD_SET, clazz = "Handled", field = "sum"))
        public static void writing() { calls++; }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() { println(strcat("calls ", str(calls))); }
    }

    @BTrace public static class Values {
        private static Aggregation values = newAggregation(AggregationFunction.AVERAGE);

        @OnMethod(clazz = "Handled", method = "place")
        public static void placing(String what, int count) { addToAggregation(values, count); }

        @OnMethod(clazz = "Handled", method = "told")
        public static void told() {
            println("calls all");
            printAggregation("values", values);
        }
    }
}
