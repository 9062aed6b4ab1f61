package com.acme

import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

data class Order(val article: String, val quantity: Int = 1)

sealed interface Answer {
    data class Placed(val sum: Int) : Answer
    data object Refused : Answer
}

class Orders {
    suspend fun place(order: Order): Answer {
        if (order.quantity <= 0) return Answer.Refused
        var sum = 0
        repeat(order.quantity) {
            delay(1)
            sum += price(order.article)
        }
        return Answer.Placed(sum)
    }

    fun prices(vararg articles: String): Flow<Int> = flow {
        for (article in articles) if (article.isNotEmpty()) emit(price(article))
    }

    private fun price(article: String) = when (article) {
        "pen" -> 2
        "book" -> 20
        else -> 0
    }
}
