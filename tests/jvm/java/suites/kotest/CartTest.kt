package suite

import io.kotest.core.spec.style.FunSpec
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext

object Leaves {
    fun leaf() {}

    fun leaves(n: Int) = repeat(n) { leaf() }
}

class CartTest : FunSpec({
    beforeSpec { Leaves.leaves(1000) }
    test("one thing") { Leaves.leaves(1) }
    test("fails") {
        Leaves.leaves(3)
        error("no")
    }
    xtest("skipped") { Leaves.leaves(99) }
    context("group") { test("within") { Leaves.leaves(4) } }
    test("later") {
        withContext(Dispatchers.IO) { Leaves.leaves(50) }
        delay(30)
        Leaves.leaves(5)
    }
})
