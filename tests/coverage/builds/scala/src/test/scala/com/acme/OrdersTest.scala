package com.acme

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

class OrdersTest:
  @Test def places(): Unit =
    assertEquals(Answer.Placed(4), Orders().place(Order("pen", 2)))
    assertEquals("1 and 2", Orders().describe((1, 2)))
