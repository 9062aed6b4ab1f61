import it.unimi.dsi.fastutil.ints.Int2IntAVLTreeMap;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectRBTreeMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntHeapPriorityQueue;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import it.unimi.dsi.fastutil.objects.ObjectArrayList;
import it.unimi.dsi.fastutil.objects.ObjectHeapPriorityQueue;
import it.unimi.dsi.fastutil.objects.Reference2IntOpenHashMap;

/** A library of small methods, most of them hot: maps, sets, trees, queues and sorts, in turn. */
public class Collections {
    private static long state = 88172645463325252L;

    static int random(int bound) {
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return (int) ((state >>> 1) % bound);
    }

    static int hashed(int n) {
        Int2IntOpenHashMap map = new Int2IntOpenHashMap();
        for (int i = 0; i < n; i++) map.addTo(random(n / 4), i);
        int sum = 0;
        for (var entry : map.int2IntEntrySet()) sum += entry.getIntKey() ^ entry.getIntValue();
        IntOpenHashSet set = new IntOpenHashSet(map.keySet());
        for (int i = 0; i < n; i++) if (set.contains(random(n))) sum++;
        return sum;
    }

    static int trees(int n) {
        Int2IntAVLTreeMap avl = new Int2IntAVLTreeMap();
        Int2ObjectRBTreeMap<String> red = new Int2ObjectRBTreeMap<>();
        for (int i = 0; i < n; i++) {
            avl.put(random(n), i);
            red.put(random(n), "x");
        }
        int sum = 0;
        for (int key : avl.keySet()) sum += key;
        for (int i = 0; i < n; i++) {
            if (red.containsKey(i)) sum++;
            avl.remove(i);
        }
        return sum + red.firstIntKey();
    }

    static int queues(int n) {
        IntHeapPriorityQueue ints = new IntHeapPriorityQueue();
        ObjectHeapPriorityQueue<String> strings = new ObjectHeapPriorityQueue<>();
        for (int i = 0; i < n; i++) {
            ints.enqueue(random(n));
            if (i % 8 == 0) strings.enqueue(word(i));
        }
        int sum = 0;
        while (!ints.isEmpty()) sum = sum * 31 + ints.dequeueInt();
        while (!strings.isEmpty()) sum += strings.dequeue().length();
        return sum;
    }

    static int sorts(int n) {
        int[] numbers = new int[n];
        long[] longs = new long[n];
        for (int i = 0; i < n; i++) {
            numbers[i] = random(n);
            longs[i] = (long) random(n) << 20 | i;
        }
        IntArrays.mergeSort(numbers, (a, b) -> Integer.compare(weight(a), weight(b)));
        IntArrays.quickSort(numbers);
        LongArrays.radixSort(longs);
        return numbers[n / 2] + (int) longs[n / 3];
    }

    static int weight(int x) {
        return Integer.reverse(x) ^ x >> 3;
    }

    static int words(int n) {
        Object2IntOpenHashMap<String> counts = new Object2IntOpenHashMap<>();
        ObjectArrayList<String> list = new ObjectArrayList<>();
        for (int i = 0; i < n; i++) {
            String word = word(random(n / 10 + 1));
            counts.addTo(word, 1);
            list.add(word);
        }
        Reference2IntOpenHashMap<String> same = new Reference2IntOpenHashMap<>();
        for (String word : list) same.addTo(word, counts.getInt(word));
        int sum = 0;
        for (int value : same.values()) sum += value;
        return sum;
    }

    static String word(int i) {
        StringBuilder text = new StringBuilder();
        for (int n = i + 17; n > 0; n /= 26) text.append((char) ('a' + n % 26));
        return text.toString();
    }

    static int graph(int n) {
        IntArrayList[] edges = new IntArrayList[n];
        for (int i = 0; i < n; i++) {
            edges[i] = new IntArrayList();
            for (int j = 0; j < 4; j++) edges[i].add(random(n));
        }
        Long2LongOpenHashMap distances = new Long2LongOpenHashMap();
        IntLinkedOpenHashSet todo = new IntLinkedOpenHashSet();
        todo.add(0);
        distances.put(0, 0);
        while (!todo.isEmpty()) {
            int node = todo.removeFirstInt();
            for (int next : edges[node])
                if (!distances.containsKey(next)) {
                    distances.put(next, distances.get(node) + 1);
                    todo.add(next);
                }
        }
        return (int) distances.values().longStream().sum();
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int round = 0; round < Integer.parseInt(args[0]); round++) {
            int n = 100_000;
            sum += hashed(n) + trees(n) + queues(n) + sorts(n) + words(n) + graph(n / 2);
        }
        System.out.println(sum);
    }
}
