package a;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Static state, methods that change it, and methods that only look at it. */
class State {
    static class Box {
        int value;
        final int[] numbers = {1, 2};

        Box with(int value) {
            this.value = value;
            return this;
        }

        int[] copied() {
            return numbers.clone();
        }
    }

    static class Names extends ArrayList<String> {}

    interface Sink {
        void put(String one);
    }

    static class ListSink implements Sink {
        private final List<String> to;

        ListSink(List<String> to) {
            this.to = to;
        }

        public void put(String one) {
            to.add(one);
        }
    }

    static class Fixed implements java.io.Serializable {
        final String name;
        private transient boolean read;
        private final int[] sizes;

        Fixed(String name, int... sizes) {
            this.name = name;
            this.sizes = sizes.clone();
        }

        int[] sizes() {
            return sizes.clone();
        }

        private void readObject(java.io.ObjectInputStream in) throws java.io.IOException, ClassNotFoundException {
            in.defaultReadObject();
            read = true;
        }
    }

    static final List<String> LIST = new ArrayList<>();
    static final Map<String, Box> BOXES = new HashMap<>();
    static final Map<String, List<String>> LISTS = new HashMap<>();
    static final int[] NUMBERS = {1, 2, 3};
    static final Object[] OBJECTS = {new Box(), new ArrayList<String>()};
    static final StringBuilder TEXT = new StringBuilder();
    static final AtomicInteger COUNT = new AtomicInteger();
    static final ThreadLocal<Box> LOCAL = ThreadLocal.withInitial(Box::new);
    static final Names NAMES = new Names();
    static final SoftReference<List<String>> SOFT = new SoftReference<>(new ArrayList<>());
    static final Fixed FIXED = new Fixed("one", 1, 2);
    static final Fixed[] ALL_FIXED = {FIXED, new Fixed("two")};
    static List<Box> kept = new ArrayList<>();

    static List<String> list() {
        return LIST;
    }

    static void fill(List<String> to) {
        to.add("x");
    }

    static void keep(Box box) {
        kept.add(box);
    }

    static void each(Consumer<String> consumer) {
        consumer.accept("x");
    }

    // ---- LIST

    static void listAdds() {
        LIST.add("x");
    }

    static void listIsPassed() {
        fill(LIST);
    }

    static void listIsReturned() {
        list().add("x");
    }

    static void listByIterator() {
        for (Iterator<String> each = LIST.iterator(); each.hasNext(); ) if (each.next().isEmpty()) each.remove();
    }

    static void listByView() {
        LIST.subList(0, 0).clear();
    }

    static void listIsSorted() {
        Collections.sort(LIST);
    }

    static void listByLambda() {
        each(one -> LIST.add(one));
    }

    static void listByReference() {
        each(LIST::add);
    }

    static void listByLoop() {
        List<String> to = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            to.add("x");
            to = LIST;
        }
    }

    static void listByChoice(boolean first) {
        (first ? LIST : new ArrayList<String>()).add("x");
    }

    static void listByHandler() {
        List<String> to = new ArrayList<>();
        try {
            to = LIST;
            each(null);
        } catch (RuntimeException e) {
            to.add("x");
        }
    }

    static void listIsRequired() {
        Objects.requireNonNull(LIST).add("x");
    }

    static void listIsOptional() {
        Optional.of(LIST).get().add("x");
    }

    static void listByObject() {
        new ListSink(LIST).put("x");
    }

    static void listByArray() {
        List<?>[] all = {LIST};
        all[0].clear();
    }

    static void listIsCast() {
        Object it = LIST;
        ((List<?>) it).clear();
    }

    // ---- the others

    static void boxesPut() {
        BOXES.put("x", new Box());
    }

    static void boxesAreSet() {
        BOXES.get("x").value = 1;
    }

    static void boxesByMethod() {
        BOXES.get("x").with(1);
    }

    static void boxesNumbers() {
        BOXES.get("x").numbers[0] = 1;
    }

    static void boxesByEntries() {
        for (Map.Entry<String, Box> each : BOXES.entrySet()) each.setValue(null);
    }

    static void boxesByLambda() {
        BOXES.values().forEach(one -> one.value = 1);
    }

    static void listsInner() {
        LISTS.computeIfAbsent("x", one -> new ArrayList<>()).add("y");
    }

    static void listsGot() {
        LISTS.get("x").add("y");
    }

    static void numbersElement() {
        NUMBERS[0] = 2;
    }

    static void numbersFill() {
        Arrays.fill(NUMBERS, 0);
    }

    static void numbersCopied() {
        System.arraycopy(new int[] {1}, 0, NUMBERS, 0, 1);
    }

    static void objectsBox() {
        ((Box) OBJECTS[0]).value = 1;
    }

    static void objectsClone() {
        Object[] same = OBJECTS.clone();
        ((Box) same[0]).value = 1;
    }

    static void objectsList() {
        ((List<?>) OBJECTS[1]).clear();
    }

    static void textAppend() {
        TEXT.append("x");
    }

    static void countUp() {
        COUNT.incrementAndGet();
    }

    static void localGet() {
        LOCAL.get().value = 1;
    }

    static void namesAdd() {
        NAMES.add("x");
    }

    static void softGet() {
        SOFT.get().add("x");
    }

    static void keptLater() {
        Box box = new Box();
        keep(box);
        box.value = 1;
    }

    // ---- those that change nothing of it

    static int look() {
        int n = LIST.size() + NUMBERS[0] + COUNT.get() + TEXT.length() + FIXED.sizes().length + ALL_FIXED.length;
        for (String one : LIST) n += one.length();
        return n + (LIST.contains("x") ? 1 : 0) + Arrays.hashCode(NUMBERS) + NUMBERS.clone().length;
    }

    static List<String> own() {
        List<String> made = new ArrayList<>(LIST);
        made.add("x");
        int[] numbers = NUMBERS.clone();
        numbers[0] = 3;
        Arrays.sort(numbers);
        StringBuilder text = new StringBuilder().append(TEXT).append(numbers[0]);
        made.add(text.toString());
        return made;
    }

    static Fixed lookAtFixed() {
        int[] sizes = FIXED.sizes();
        sizes[0] = 7;
        return ALL_FIXED.clone()[0];
    }
}
