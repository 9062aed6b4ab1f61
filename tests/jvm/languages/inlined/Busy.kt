package shop

import java.lang.management.ManagementFactory

/** Is also called as a method, so its class is loaded. */
inline fun spun(times: Int, step: (Int) -> Int): Int {
    var sum = 0
    for (i in 1..times) {
        var x = i
        for (j in 1..20) x = x * 31 + (x ushr 7)
        sum += step(x)
    }
    return sum
}

private val threads = ManagementFactory.getThreadMXBean()

/** Does something until the thread has used so many ms. */
fun during(ms: Int, work: () -> Int): Int {
    val end = threads.currentThreadCpuTime + ms * 1_000_000L
    var sum = 0
    while (threads.currentThreadCpuTime < end) sum += work()
    return sum
}

fun main() {
    val sum = during(300) { spun(10_000) { it + 1 } } + during(300) { hashed(10_000) }
    println(if (sum == 1) "one" else "done")
}
