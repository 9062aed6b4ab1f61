import kotlinx.coroutines.*
import kotlinx.coroutines.channels.*
import kotlinx.coroutines.flow.*
import kotlinx.coroutines.selects.*
import kotlinx.coroutines.sync.*
import kotlin.time.Duration.Companion.milliseconds

sealed interface Event {
    data class Placed(val id: Int, val price: Double = 1.5) : Event
    data class Shipped(val id: Int, val to: String?) : Event
    data object Closed : Event
}

enum class Colour { RED, GREEN, BLUE }

@JvmInline
value class Id(val value: Int) {
    init { require(value >= 0) { "negative: $value" } }
}

class Counter(private val mutex: Mutex = Mutex()) {
    lateinit var name: String
    val lazily by lazy { "lazy " + name }
    var count = 0
        private set

    suspend fun add(n: Int) = mutex.withLock { count += n }

    suspend fun slowly(n: Int): Int {
        var sum = 0
        for (i in 0 until n) {
            if (i % 3 == 0) delay(1) else yield()
            sum += twice(i)
        }
        return sum
    }

    private suspend fun twice(i: Int): Int = if (i > 1) { delay(1); i * 2 } else i
}

inline fun <T> timed(what: String, block: () -> T): T {
    try {
        return block()
    } finally {
        if (what.isEmpty()) println("nothing")
    }
}

inline fun <reified T> only(all: List<Any>): List<T> = all.filterIsInstance<T>()

fun told(event: Event?): String = when (event) {
    null -> "none"
    is Event.Placed -> if (event.price > 1.0) "dear ${event.id}" else "cheap ${event.id}"
    is Event.Shipped -> event.to?.uppercase() ?: "nowhere"
    Event.Closed -> "closed"
}

fun number(word: String): Int = when (word) {
    "one", "eins" -> 1
    "two" -> 2
    "Aa", "BB" -> 3
    else -> word.toIntOrNull() ?: -1
}

fun colour(c: Colour): Int = when (c) {
    Colour.RED -> 1
    Colour.GREEN -> 2
    Colour.BLUE -> 3
}

suspend fun fails(n: Int): Int {
    try {
        delay(1)
        if (n > 1) throw IllegalStateException("n = $n")
        return n
    } catch (e: IllegalStateException) {
        yield()
        return -n
    } finally {
        delay(1)
    }
}

fun numbers(n: Int): Flow<Int> = flow {
    for (i in 1..n) {
        if (i == 7) continue
        emit(i)
    }
}

suspend fun channels(): Int = coroutineScope {
    val channel = Channel<Int>(2)
    val other = produce { repeat(3) { send(it * 100) } }
    launch { for (i in 1..5) channel.send(i); channel.close() }
    var sum = 0
    repeat(3) {
        sum += select<Int> {
            other.onReceiveCatching { it.getOrNull() ?: 0 }
            onTimeout(1000.milliseconds) { -1 }
        }
    }
    for (i in channel) sum += i
    sum
}

fun sequenceOf(n: Int) = sequence {
    var i = 0
    while (true) {
        if (i >= n) break
        yield(i++)
        yieldAll(listOf(i, i))
    }
}

fun main() = runBlocking {
    val counter = Counter()
    counter.name = "it"
    coroutineScope { repeat(5) { n -> launch(Dispatchers.Unconfined) { counter.add(n) } } }
    println("${counter.lazily} ${counter.count} ${counter.slowly(5)}")
    println(listOf(null, Event.Placed(1), Event.Placed(2, 0.5), Event.Shipped(3, "here"), Event.Closed).map(::told))
    println(Event.Placed(1).copy(id = 4) == Event.Placed(4))
    println(listOf("one", "two", "BB", "17", "x").map(::number) + Colour.entries.map(::colour).take(2))
    println(timed("x") { only<String>(listOf(1, "a", 2.0, "b")) })
    println(runCatching { Id(-1) }.exceptionOrNull()?.message + Id(3))
    println(listOf(fails(1), fails(2)))
    println(numbers(10).filter { it % 2 == 0 }.map { it * it }.onEach { if (it > 50) delay(1.milliseconds) }.catch { emit(-1) }.toList())
    println(numbers(3).flatMapConcat { n -> flowOf(n, n + 10) }.fold(0) { a, b -> a + b })
    println(numbers(5).transformWhile { emit(it); it < 3 }.zip(numbers(9)) { a, b -> a to b }.toList())
    println(channels())
    println(sequenceOf(3).toList())
    println(withTimeoutOrNull(20) { delay(5000); "late" } ?: "timeout")
    val deferred = async(start = CoroutineStart.LAZY) { withContext(NonCancellable) { delay(1); 5 } }
    println(deferred.await())
    val state = MutableStateFlow(0)
    val job = launch { state.takeWhile { it < 3 }.collect { } }
    repeat(4) { state.value = it; yield() }
    job.join()
    val supervised = supervisorScope { runCatching { async<Int> { error("no") }.await() } }
    println(supervised.exceptionOrNull()?.message)
    val cancelled = launch { try { awaitCancellation() } finally { println("cancelled") } }
    yield()
    cancelled.cancelAndJoin()
}
