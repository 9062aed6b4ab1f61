package com.acme

import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class OrdersTest {
    @Test
    fun places() = runBlocking {
        assertEquals(Answer.Placed(4), Orders().place(Order("pen", 2)))
        assertEquals(listOf(2, 20), Orders().prices("pen", "", "book").toList())
    }
}
