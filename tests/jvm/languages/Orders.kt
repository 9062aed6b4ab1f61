package shop

import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.startCoroutine

@JvmInline
value class Price(val cents: Int) {
    fun doubled(): Int = work(cents) * 2
}

interface Priced {
    fun price(): Int = work(1)
}

class Item : Priced

inline fun weighed(times: Int, each: (Int) -> Int): Int {
    var sum = 0
    for (i in 1..times) sum += each(i)
    return sum
}

fun work(n: Int): Int = n + 1

fun total(prices: List<Int>, discount: Int = 1): Int = prices.sumOf { work(it) } - discount

class Orders {
    private val names by lazy { listOf("a", "b") }

    fun place(name: String, count: Int = 2): Int = work(count) + name.length

    fun charge(price: Price): Int = price.doubled()

    internal fun audit(): Int = names.size

    fun each(): Int {
        val lambda: (Int) -> Int = { n ->
            work(n)
        }
        return lambda(1) + lambda(2)
    }

    suspend fun ship(n: Int): Int = work(n)

    fun `has a long name`(): Int = 1

    companion object {
        fun create(): Orders = Orders()
    }
}

fun main() {
    val orders = Orders.create()
    var sum = orders.place("x") + orders.place("y", 3) + orders.charge(Price(2)) + orders.audit() + orders.each()
    sum += total(listOf(1, 2)) + Item().price() + weighed(3) { work(it) } + orders.`has a long name`()
    suspend { orders.ship(1) }.startCoroutine(Continuation(EmptyCoroutineContext) { sum += it.getOrThrow() })
    println(sum)
}
