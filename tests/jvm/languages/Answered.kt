package shop

import java.lang.ref.WeakReference
import kotlin.coroutines.*
import kotlinx.coroutines.*

class Box(val size: Int)

fun step() {}

fun after() {}

fun started() {}

// goes on in the task of whoever answers
suspend fun answered(answer: CompletableDeferred<Int>, box: Box): Int {
    step()
    val found = answer.await()
    step()
    if (found == 50) throw IllegalStateException("50")
    return found + box.size
}

suspend fun asks(answer: CompletableDeferred<Int>): Int {
    val found = try { answered(answer, Box(1)) } catch (e: IllegalStateException) { 0 }
    after()
    return found
}

fun answers(answer: CompletableDeferred<Int>, found: Int) = answer.complete(found)

// its coroutine runs in the event loop of the thread that waits for it
fun starts(scope: CoroutineScope) = scope.launch {
    started()
    yield()
    started()
}

// nobody resumes it, and nobody has it any more
suspend fun forgotten(box: Box): Int {
    suspendCoroutine<Unit> { }
    return box.size
}

fun isCollected(): Boolean {
    val gone = Box(1).let { box ->
        suspend { forgotten(box) }.startCoroutine(Continuation(EmptyCoroutineContext) { })
        WeakReference(box)
    }
    repeat(500) {
        if (gone.get() == null) return true
        System.gc()
        Thread.sleep(10)
    }
    return false
}

fun main() {
    var sum = 0
    runBlocking(Dispatchers.Default) {
        for (i in 1..50) {
            val answer = CompletableDeferred<Int>()
            val asked = async { asks(answer) }
            delay(1)
            answers(answer, i)
            sum += asked.await()
        }
    }
    runBlocking { repeat(5) { starts(this).join() } }
    println("$sum ${isCollected()}")
}
