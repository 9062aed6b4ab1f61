package demo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;

/** Directed graphs over any type of node, and what one asks of them. */
public class Graphs<N extends Comparable<? super N>, E> implements Iterable<N> {
    /** An edge with whatever it bears. */
    public record Edge<N, E>(N from, N to, E label) {
        Edge<N, E> reversed() {
            return new Edge<>(to, from, label);
        }
    }

    /** A way through the graph, shortest first. */
    public record Path<N>(List<N> nodes, double length) implements Comparable<Path<N>> {
        @Override
        public int compareTo(Path<N> other) {
            return Double.compare(length, other.length);
        }

        N last() {
            return nodes.get(nodes.size() - 1);
        }

        Path<N> then(N node, double distance) {
            List<N> longer = new ArrayList<>(nodes);
            longer.add(node);
            return new Path<>(longer, length + distance);
        }
    }

    public static class CycleException extends RuntimeException {
        private static final long serialVersionUID = 1;

        CycleException(Collection<?> nodes) {
            super("a cycle through " + nodes);
        }
    }

    private enum Mark { OPEN, DONE }

    private final Map<N, List<Edge<N, E>>> edges = new LinkedHashMap<>();
    private int size;

    public void node(N node) {
        edges.computeIfAbsent(node, unused -> new ArrayList<>());
    }

    public Graphs<N, E> edge(N from, N to, E label) {
        node(from);
        node(to);
        edges.get(from).add(new Edge<>(from, to, label));
        size++;
        return this;
    }

    public int size() {
        return size;
    }

    public void forEachEdge(BiConsumer<? super N, ? super E> action) {
        for (List<Edge<N, E>> list : edges.values()) {
            for (Edge<N, E> edge : list) {
                action.accept(edge.to(), edge.label());
            }
        }
    }

    public Graphs<N, E> reversed() {
        Graphs<N, E> other = new Graphs<>();
        edges.keySet().forEach(other::node);
        edges.values().stream().flatMap(List::stream).map(Edge::reversed).forEach(e -> other.edge(e.from(), e.to(), e.label()));
        return other;
    }

    /** The nodes in an order in which each comes behind those that lead to it. */
    public List<N> sorted() {
        Map<N, Mark> marks = new HashMap<>();
        Deque<N> order = new ArrayDeque<>();
        List<N> roots = new ArrayList<>(edges.keySet());
        Collections.sort(roots, Collections.reverseOrder());
        for (N root : roots) {
            visit(root, marks, order);
        }
        return List.copyOf(order);
    }

    private void visit(N node, Map<N, Mark> marks, Deque<N> order) {
        Mark mark = marks.putIfAbsent(node, Mark.OPEN);
        if (mark != null) {
            switch (mark) {
                case DONE:
                    return;
                case OPEN:
                    throw new CycleException(marks.keySet());
            }
        }
        for (Edge<N, E> edge : edges.getOrDefault(node, List.of())) {
            visit(edge.to(), marks, order);
        }
        marks.put(node, Mark.DONE);
        order.addFirst(node);
    }

    /** The shortest way from one node to another, by Dijkstra. */
    public Path<N> shortest(N from, N to, ToDoubleFunction<? super E> distance) {
        PriorityQueue<Path<N>> open = new PriorityQueue<>();
        Set<N> closed = new HashSet<>();
        open.add(new Path<>(List.of(from), 0));
        while (!open.isEmpty()) {
            Path<N> path = open.remove();
            N here = path.last();
            if (here.equals(to)) {
                return path;
            }
            if (!closed.add(here)) {
                continue;
            }
            for (var edge : edges.getOrDefault(here, List.of())) {
                double step = distance.applyAsDouble(edge.label());
                if (step < 0) {
                    throw new IllegalArgumentException("a negative distance: " + edge);
                }
                if (!closed.contains(edge.to())) {
                    open.add(path.then(edge.to(), step));
                }
            }
        }
        throw new NoSuchElementException("no way from " + from + " to " + to);
    }

    /** Walks breadth first from the smallest node of each part. */
    @Override
    public Iterator<N> iterator() {
        return new Iterator<>() {
            private final Deque<N> waiting = new ArrayDeque<>();
            private final Set<N> seen = new HashSet<>();
            private final Iterator<N> starts = edges.keySet().stream().sorted(Comparator.naturalOrder()).iterator();

            @Override
            public boolean hasNext() {
                while (waiting.isEmpty() && starts.hasNext()) {
                    N start = starts.next();
                    if (seen.add(start)) {
                        waiting.add(start);
                    }
                }
                return !waiting.isEmpty();
            }

            @Override
            public N next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                N node = waiting.remove();
                for (Edge<N, E> edge : edges.get(node)) {
                    if (seen.add(edge.to())) {
                        waiting.add(edge.to());
                    }
                }
                return node;
            }
        };
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("digraph {\n");
        outer:
        for (Map.Entry<N, List<Edge<N, E>>> entry : edges.entrySet()) {
            if (entry.getValue().isEmpty()) {
                continue outer;
            }
            for (Edge<N, E> edge : entry.getValue()) {
                text.append("""
                      "%s" -> "%s" [label="%s"]
                    """.formatted(edge.from(), edge.to(), edge.label()));
            }
        }
        return text.append('}').toString();
    }
}
