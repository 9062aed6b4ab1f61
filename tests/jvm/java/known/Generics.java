package known;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;

/** Bridge methods have their own rows: their descriptors differ. */
final class Generics {
    static class Money implements Comparable<Money> { // bridge compareTo calls 3
        final int amount;

        Money(int amount) { // calls 3
            this.amount = amount;
        }

        @Override
        public int compareTo(Money o) { // calls 4
            return Integer.compare(amount, o.amount);
        }
    }

    abstract static class Node<T> { // <init> calls 1
        abstract T value();

        T again() { // calls 1
            return value();
        }
    }

    static class Text extends Node<String> { // <init> calls 1; bridge value calls 1
        @Override
        String value() { // calls 2
            return "text";
        }
    }

    static class Count implements Iterable<Integer>, Iterator<Integer> { // <init> calls 1; bridge next calls 5
        int i;

        @Override
        public Iterator<Integer> iterator() { // calls 1
            return this;
        }

        @Override
        public boolean hasNext() { // calls 6
            return i < 5;
        }

        @Override
        public Integer next() { // calls 5
            return i++;
        }
    }

    static class Covariant implements Cloneable, Callable<String> { // <init> calls 1; bridge clone calls 1; bridge call calls 1 exceptions 1
        @Override
        public Covariant clone() throws CloneNotSupportedException { // calls 3
            return (Covariant) super.clone();
        }

        @Override
        public String call() throws Exception { // calls 1 exceptions 1
            throw new Exception("call");
        }

        Object anyClone(boolean bridge) throws Exception { // calls 1
            return bridge ? Covariant.class.getMethod("clone").invoke(this) : null;
        }
    }

    static <T extends Comparable<T>> T max(List<T> list) { // calls 1
        T best = null;
        for (T t : list) if (best == null || t.compareTo(best) > 0) best = t;
        return best;
    }

    static int compareByBridge(Object a, Object b, Comparator<Object> c) { // calls 1
        return c.compare(a, b);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    static void run() throws Exception { // calls 1
        List<Money> list = List.of(new Money(3), new Money(9), new Money(4));
        System.out.println("generics " + max(list).amount + list.get(0).compareTo(list.get(1)));
        System.out.println(compareByBridge(list.get(0), list.get(0), (Comparator) Comparator.naturalOrder()));
        Text text = new Text();
        System.out.println(text.value() + text.again());
        int sum = 0;
        for (int i : new Count()) sum += i;
        Covariant c = new Covariant();
        c.clone();
        System.out.println(sum + c.anyClone(true).getClass().getName());
        Callable<?> callable = c;
        try {
            callable.call();
        } catch (Exception e) {
            System.out.println(e.getMessage());
        }
        java.lang.reflect.Method bridge = null;
        for (var m : Covariant.class.getDeclaredMethods()) if (m.isBridge() && m.getName().equals("clone")) bridge = m;
        System.out.println(bridge.invoke(c).getClass().getName());
    }
}
