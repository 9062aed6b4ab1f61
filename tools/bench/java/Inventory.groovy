package shop

import groovy.transform.Canonical
import groovy.transform.CompileStatic

@Canonical
class InventoryItem {
    String name
    int pieces
    BigDecimal price
    List<String> tags = []

    BigDecimal total() { price * pieces }
    boolean hasTag(String tag) { tags.any { it.equalsIgnoreCase(tag) } }
}

@CompileStatic
class InventoryIndex {
    private final Map<String, List<InventoryItem>> byTag = [:]

    void add(InventoryItem item) {
        for (String tag : item.tags) {
            List<InventoryItem> known = byTag.get(tag)
            if (known == null) {
                known = new ArrayList<InventoryItem>()
                byTag.put(tag, known)
            }
            known.add(item)
        }
    }

    int count(String tag) { byTag.containsKey(tag) ? byTag.get(tag).size() : 0 }

    static int fibonacci(int n) { n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) }

    static String describe(Object what) {
        switch (what) {
            case Integer: return "number ${what}"
            case String: return "text '${what}'"
            case List: return "list of ${((List) what).size()}"
            default: return what?.toString() ?: 'nothing'
        }
    }
}

class Inventory {
    def items = []
    def listeners = [:].withDefault { [] }

    def add(String name, int pieces, BigDecimal price, String... tags) {
        def item = new InventoryItem(name, pieces, price, tags.toList())
        items << item
        listeners['added'].each { it.call(item) }
        item
    }

    def on(String event, Closure action) { listeners[event] << action }

    BigDecimal total() { items.sum { it.total() } ?: 0G }

    Map<String, BigDecimal> byTag() {
        items.collectMany { item -> item.tags.collect { [it, item] } }
             .groupBy { it[0] }
             .collectEntries { tag, pairs -> [(tag): pairs.sum { it[1].total() }] }
    }

    String report(int width = 60) {
        def line = '-' * width
        def rows = items.sort { a, b -> b.total() <=> a.total() ?: a.name <=> b.name }.withIndex().collect { item, i ->
            "${(i + 1).toString().padLeft(3)} ${item.name.padRight(20)} ${item.pieces.toString().padLeft(6)} ${item.total()}"
        }
        """${line}
${rows.join('\n')}
${line}
total: ${total()}"""
    }

    static main(args) {
        def inventory = new Inventory()
        def seen = 0
        inventory.on('added') { seen++ }
        (1..100).each { n ->
            inventory.add("thing $n", n % 7, 1.5G * n, *(n % 3 ? ['small'] : ['large', 'red']))
        }
        try {
            assert inventory.total() > 0 : 'an empty inventory'
            println inventory.report()
        } catch (AssertionError | IllegalStateException e) {
            System.err.println "failed: ${e.message}"
        } finally {
            println "$seen items, ${inventory.byTag()}"
        }
        while (seen > 0) {
            if (seen % 2 == 0) { seen -= 2; continue }
            seen--
        }
        println((1..10).collect { InventoryIndex.fibonacci(it) }.findAll { it % 2 }.inject(0) { a, b -> a + b })
    }
}
