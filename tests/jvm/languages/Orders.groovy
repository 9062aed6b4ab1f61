package shop

trait Priced {
    int price() { Orders.work(1) }
}

class Item implements Priced {
}

class Orders {
    static int work(int n) { n + 1 }

    int place(String name, int count = 2) { work(count) + name.length() }

    int each(List<Integer> numbers) {
        def sum = 0
        numbers.each { n ->
            sum += work(n)
        }
        sum
    }

    static void main(String[] args) {
        def orders = new Orders()
        println orders.place('x') + orders.place('y', 3) + orders.each([1, 2]) + new Item().price()
    }
}
