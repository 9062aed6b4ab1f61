package suite

import spock.lang.Ignore
import spock.lang.Specification

class CartTest extends Specification {
    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf()
    }

    def setupSpec() { leaves(1000) }
    def setup() { leaves(10) }

    def "one thing"() {
        leaves(1)
        expect: true
    }

    def "fails"() {
        leaves(3)
        expect: 1 == 2
    }

    def "aborts"() {
        leaves(4)
        throw new org.opentest4j.TestAbortedException("not here")
        expect: true
    }

    @Ignore
    def "skipped"() {
        leaves(99)
        expect: true
    }

    def "sum of #a"() {
        leaves(a)
        expect: a > 0
        where: a << [5, 6]
    }
}
