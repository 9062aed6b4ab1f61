package suite;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Static fields, those that tests change and those that they do not. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StateTest {
    enum Size {
        SMALL,
        LARGE
    }

    static class Box {
        int value;
        final Box next;

        Box(Box next) {
            this.next = next;
        }
    }

    static class Hours extends Clock {
        int hour;

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusSeconds(3600 * hour);
        }
    }

    static class Money extends BigDecimal {
        String name;

        Money() {
            super(1);
        }
    }

    /** Two numbers whose sum stays the same. */
    static class Day {
        static int month;
        static int day = 31;

        static void initialise() {}
    }

    static class Changed {
        static final Map<String, String> cache = new HashMap<>();
        static final int[] numbers = {1, 2, 3};
        static final Object[] boxes = {new Box(new Box(null))};
        static final List<Object> list = new ArrayList<>();
        static final AtomicInteger counter = new AtomicInteger();
        static final ThreadLocal<String> ofThread = new ThreadLocal<>();
        static final Thread thread = Thread.currentThread();
        static final Hours clock = new Hours();
        static final Money money = new Money();
        static final DateTimeFormatterBuilder format = new DateTimeFormatterBuilder();
        static final Method method = Changed.class.getDeclaredMethods()[0];
        static final ClassValue<Box> ofClass =
                new ClassValue<>() {
                    @Override
                    protected Box computeValue(Class<?> type) {
                        return new Box(null);
                    }
                };
        static String text = "a";
        static boolean flag;
        static double number = 1;
        static Object late;

        static void initialise() {}
    }

    static class Steady {
        static final Map<String, String> map = new HashMap<>(Map.of("a", "b"));
        static final Map<Size, Object> sizes = new EnumMap<>(Map.of(Size.SMALL, new Box(null)));
        static final Map<Box, String> concurrent = new ConcurrentHashMap<>(Map.of(new Box(null), "c"));
        static final Object[] itself = new Object[2];
        static final Class<?>[] classes = {int.class, Box.class, Unused.class};
        static final StringBuilder builder = new StringBuilder("x");
        static final Runnable lambda = () -> map.size();
        static String text = "a";
        static long restored = 1;
        static int last;
        static Object registered;
        static final Object[] large = new Object[100];
        static final Instant epoch = Instant.EPOCH;

        static {
            for (int i = 0; i < large.length; i++) {
                large[i] = new Box(null);
            }
            itself[0] = itself;
            itself[1] = new Box(new Box(null));
        }

        static void initialise() {}
    }

    static class NoInitialiser {
        static Object changed;
        static Object steady;
        static int number;

        static void initialise() {}
    }

    static class Registers {
        static {
            Steady.registered = new Box(null);
            NoInitialiser.steady = new Box(null);
        }

        static void initialise() {}
    }

    static class Unused {
        static Object never = new Box(null);
    }

    static void leaf() {}

    @Test
    @Order(1)
    void initialises() {
        leaf();
        Changed.initialise();
        Day.initialise();
        Steady.initialise();
        NoInitialiser.initialise();
    }

    @Test
    @Order(2)
    void reads() {
        Registers.initialise();
        for (Map<?, ?> one : List.of(Steady.map, Steady.sizes, Steady.concurrent)) {
            int sum = one.keySet().hashCode() + one.values().size() + one.entrySet().size();
        }
        Size.LARGE.hashCode();
        Steady.lambda.run();
        synchronized (Steady.builder) {
            Steady.restored++;
            Steady.restored--;
        }
        System.gc();
    }

    @Test
    @Order(3)
    void changes() {
        Changed.cache.put("a", "b");
        Changed.numbers[2]++;
        ((Box) Changed.boxes[0]).next.value = 1;
        Changed.list.add(this);
        Changed.counter.incrementAndGet();
        Changed.clock.hour++;
        Changed.money.name = "m";
        Changed.format.appendLiteral('x');
        Changed.method.setAccessible(true);
        Changed.ofClass.get(Box.class).value = 1;
        Day.month++;
        Day.day -= 31;
        Changed.text = new String("a");
        Changed.flag = true;
        Changed.number = -1;
        Changed.late = this;
        NoInitialiser.changed = this;
        NoInitialiser.number = 1;
    }

    @Test
    @Order(4)
    void seesThem() {
        Steady.last = 1; // no test follows
    }
}
