package com.acme

enum Answer:
  case Placed(sum: Int)
  case Refused

case class Order(article: String, quantity: Int = 1)

class Orders:
  lazy val prices = Map("pen" -> 2, "book" -> 20)

  def place(order: Order): Answer = order match
    case Order(_, n) if n <= 0 => Answer.Refused
    case Order(article, n)     => Answer.Placed((1 to n).map(_ => prices.getOrElse(article, 0)).sum)

  def describe(what: Any): String = what match
    case s: String => s
    case (a, b)    => s"$a and $b"
    case _         => "?"
