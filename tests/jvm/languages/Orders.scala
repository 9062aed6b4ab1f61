package shop

class Cents(val n: Int) extends AnyVal {
  def doubled: Int = Orders.work(n) * 2
}

trait Priced {
  def price: Int = Orders.work(1)
}

class Cart extends Priced {
  private var items = 0
  var limit: Int = 1
  lazy val name: String = "cart"
  def +=(n: Int): Cart = { items += Orders.work(n); this }
  def size: Int = items
  def valid_? : Boolean = items > 0
  def discount(percent: Int = 5): Int = percent
  def plain(n: Int): Priced = new Priced { override def price: Int = Orders.work(n) }
}

object Orders {
  def work(n: Int): Int = n + 1
  def place(names: List[String]): Int = names.map { name =>
    work(name.length)
  }.sum
  def nested(n: Int): Int = {
    def inner(k: Int): Int = work(k)
    inner(n) + inner(n)
  }
  def main(args: Array[String]): Unit = {
    val cart = new Cart
    cart += 1
    cart.limit = 3
    println(place(List("a", "bb")) + cart.size + cart.discount() + new Cents(2).doubled + cart.price + cart.name.length
      + cart.plain(1).price + nested(1) + (if (cart.valid_?) 1 else 0))
  }
}
