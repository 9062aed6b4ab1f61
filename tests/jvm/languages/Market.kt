package shop

import kotlinx.coroutines.*
import kotlinx.coroutines.channels.Channel

enum class State { NEW, PAID }

@JvmInline
value class Cents(val n: Int)

data class Order(val id: Int, val item: String, val state: State)

class Refused(val id: Int) : Exception("refused $id")

var limit = 5

// the program's own counters, by what the tests call them
val counted = sortedMapOf<String, Int>()

fun count(name: String, more: Int = 1) {
    counted[name] = (counted[name] ?: 0) + more
}

class Cart {
    var total = 0
    val lines = mutableListOf<String>()

    fun add(item: String, pieces: Int = 1, rush: Boolean = false): Int {
        lines.add(item)
        total += pieces // added
        return pieces * if (rush) 2 else 1
    }

    fun charge(price: Cents): Boolean = price.n > 50
}

object Registry {
    fun find(id: Int): Order? = if (id % 3 == 0) null else Order(id, "item-${id % 4}", if (id % 2 == 0) State.PAID else State.NEW)
}

fun String.labelled(times: Int): String = repeat(times)

fun sent(id: Int) {}

suspend fun reserve(id: Int, item: String): Int {
    if (id == 37) delay(400)
    if (id % 5 == 0) delay(2)
    if (id % 10 == 9) throw Refused(id)
    yield()
    return id * 2
}

suspend fun stored(order: Order, rush: Boolean): Order? {
    delay(1)
    return if (order.state == State.PAID) order else null
}

suspend fun received(id: Int) {
    yield()
}

fun carts() {
    for (i in 1..40) {
        val cart = Cart()
        repeat(i % 4) {
            cart.add("item-$it", pieces = i)
            count("add by item-$it")
            if (i > limit) count("add above the limit")
        }
        if (i % 2 == 0) {
            if (cart.lines.size > 1) count("add to a cart with two")
            cart.add("gift")
            count("add by gift")
            count("add with defaults alone")
        }
        if (cart.charge(Cents(i * 2))) count("charged")
        if (cart.total > 100) count("total above 100")
        "ab".labelled(i % 3)
        count("labelled ${i % 3}")
    }
}

fun registry() {
    for (id in 0 until 60) {
        val found = Registry.find(id)
        count("find by ${found?.state}")
        if (found?.item == "item-1") count("find item-1")
        if (if (id % 7 == 0) "x$id".toIntOrNull() == null else "$id".toIntOrNull() == null) count("no number")
    }
}

fun main() {
    carts()
    registry()
    runBlocking(Dispatchers.Default) {
        for (id in 0 until 60) {
            try {
                val doubled = reserve(id, "item-${id % 4}")
                count("reserved")
                count("reserved in all", doubled)
                if (doubled > 80) count("reserved above 80")
            } catch (refused: Refused) {
                count("refused")
            }
            if (id % 4 == 1) count("reserve item-1")
            val order = Order(id, "item", if (id % 3 == 0) State.PAID else State.NEW)
            val kept = stored(order, id > 50)
            count("stored by ${kept?.state}")
            if (kept != null && id > 50) count("stored in a rush")
        }
    }
    runBlocking(Dispatchers.Default) {
        val channel = Channel<Int>(4)
        launch {
            for (id in 0 until 50) {
                sent(id)
                channel.send(id)
            }
            channel.close()
        }
        for (id in channel) {
            received(id)
            count("received")
        }
    }
    for ((name, number) in counted) println("$name: $number")
}
