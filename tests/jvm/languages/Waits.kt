package shop

import kotlinx.coroutines.*
import java.util.concurrent.atomic.AtomicInteger

class Missing(message: String) : Exception(message)

fun step() {}

fun after() {}

// waits twice, on whatever thread; the last of 20 has no answer
suspend fun fetch(id: Int, name: String): Int {
    step()
    delay(1)
    step()
    if (id == 19) throw Missing(name)
    delay(1)
    step()
    return id * 6
}

// waits only if it has to
suspend fun seldom(id: Int): Int {
    if (id % 10 == 0) delay(1)
    step()
    return id + 1
}

suspend fun caller(id: Int): Int =
    try {
        val found = fetch(id, "n$id")
        after()
        found
    } catch (e: Missing) {
        after()
        -1
    }

suspend fun never(id: Int): Int {
    delay(600_000)
    return id
}

fun main() = runBlocking(Dispatchers.Default) {
    val sum = (0 until 100).map { async { caller(it % 20) } }.sumOf { it.await() }
    var other = 0
    for (i in 0 until 100) other += seldom(i)
    withTimeoutOrNull(20) { never(7) }
    println("$sum $other")
}
