package demo;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Goods in a warehouse: read from text, moved, valued. */
public class Warehouse implements Closeable {
    enum Category {
        FOOD("0.07"), BOOK("0.07"), TOOL("0.19"), OTHER("0.19");

        private final BigDecimal rate;

        Category(String rate) {
            this.rate = new BigDecimal(rate);
        }

        static Category named(String name) {
            return switch (name.strip().toLowerCase()) {
                case "food", "drink" -> FOOD;
                case "book", "magazine" -> BOOK;
                case "tool" -> TOOL;
                default -> OTHER;
            };
        }
    }

    record Price(BigDecimal net, Category category) {
        Price {
            Objects.requireNonNull(category);
            if (net.signum() < 0) {
                throw new IllegalArgumentException("a negative price: " + net);
            }
        }

        BigDecimal gross() {
            return net.add(net.multiply(category.rate)).setScale(2, RoundingMode.HALF_UP);
        }
    }

    record Item(String name, Price price, LocalDate expires) {
        boolean expired(LocalDate today) {
            return expires != null && expires.isBefore(today);
        }
    }

    @FunctionalInterface
    interface Listener {
        void moved(Item item, int by, int left);

        default Listener and(Listener other) {
            return (item, by, left) -> {
                moved(item, by, left);
                other.moved(item, by, left);
            };
        }
    }

    static final class OutOfStock extends Exception {
        private static final long serialVersionUID = 1;

        OutOfStock(Item item, int wanted, int there) {
            super(String.format("%s: %d wanted, %d there", item.name(), wanted, there));
        }
    }

    private static final Listener SILENT = (item, by, left) -> {};

    private final Map<String, Item> items = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<Item, Integer> stock = new ConcurrentHashMap<>();
    private final AtomicLong moves = new AtomicLong();
    private Listener listener = SILENT;
    private boolean open = true;

    public Warehouse listening(Listener... more) {
        listener = Arrays.stream(more).reduce(listener, Listener::and);
        return this;
    }

    public static Warehouse read(Reader reader) {
        Warehouse warehouse = new Warehouse();
        try (BufferedReader lines = new BufferedReader(reader)) {
            String line;
            int number = 0;
            while ((line = lines.readLine()) != null) {
                number++;
                if (line.isBlank() || line.charAt(0) == '#') {
                    continue;
                }
                String[] fields = line.split(";", -1);
                if (fields.length < 4) {
                    throw new IllegalArgumentException("line " + number + ": " + fields.length + " fields");
                }
                LocalDate expires = fields.length > 4 && !fields[4].isEmpty() ? LocalDate.parse(fields[4]) : null;
                Price price = new Price(new BigDecimal(fields[2]), Category.named(fields[1]));
                warehouse.add(new Item(fields[0], price, expires), Integer.parseInt(fields[3]));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return warehouse;
    }

    public synchronized void add(Item item, int count) {
        requireOpen();
        items.put(item.name(), item);
        int left = stock.merge(item, count, Integer::sum);
        moves.incrementAndGet();
        listener.moved(item, count, left);
    }

    public void take(String name, int count) throws OutOfStock {
        requireOpen();
        Item item = items.get(name);
        synchronized (stock) {
            int there = stock.getOrDefault(item, 0);
            if (there < count) {
                throw new OutOfStock(item, count, there);
            }
            stock.put(item, there - count);
            moves.incrementAndGet();
            listener.moved(item, -count, there - count);
        }
    }

    public Map<Category, BigDecimal> value() {
        return stock.entrySet().stream().collect(Collectors.groupingBy(
            entry -> entry.getKey().price().category(),
            () -> new EnumMap<>(Category.class),
            Collectors.reducing(
                BigDecimal.ZERO,
                entry -> entry.getKey().price().gross().multiply(BigDecimal.valueOf(entry.getValue())),
                BigDecimal::add)));
    }

    public <K extends Comparable<K>> Map<K, List<String>> namesBy(Function<? super Item, ? extends K> key, Predicate<Item> chosen) {
        Supplier<Map<K, List<String>>> empty = TreeMap::new;
        return items.values().stream().filter(chosen).collect(
            Collectors.groupingBy(key, empty, Collectors.mapping(Item::name, Collectors.toList())));
    }

    public int[][] histogram(int columns) {
        int[][] counts = new int[Category.values().length][columns];
        for (var entry : stock.entrySet()) {
            int column = Math.min(columns - 1, entry.getValue() / 10);
            counts[entry.getKey().price().category().ordinal()][column]++;
        }
        return counts;
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("closed after " + moves.get() + " moves");
        }
    }

    @Override
    public void close() {
        open = false;
    }

    public static void main(String... args) throws Exception {
        String text = Stream.of("# name;category;price;count;expires", "bread;food;2.40;12;2031-01-01", "saw;tool;18.00;3;")
            .collect(Collectors.joining("\n"));
        try (Warehouse warehouse = read(new java.io.StringReader(text))) {
            warehouse.listening((item, by, left) -> System.out.printf("%s %+d, %d left%n", item.name(), by, left));
            IntStream.rangeClosed(1, 4).forEach(n -> {
                try {
                    warehouse.take("saw", n);
                } catch (OutOfStock wrong) {
                    System.out.println(wrong.getMessage());
                }
            });
            System.out.println(warehouse.value() + " " + warehouse.namesBy(Item::name, item -> !item.expired(LocalDate.now())));
        }
    }
}
