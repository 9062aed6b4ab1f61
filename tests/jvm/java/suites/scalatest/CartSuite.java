package suite;

import org.scalactic.source.Position;
import org.scalatest.Args;
import org.scalatest.Assertions$;
import org.scalatest.Status;
import org.scalatest.funsuite.AnyFunSuite;
import scala.Function0;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/** A suite as Scala's compiler makes it: what BeforeAndAfterAll and BeforeAndAfterEach do is in overridden methods. */
public class CartSuite extends AnyFunSuite {
    static final Position HERE = new Position("CartSuite.java", "CartSuite.java", 1);

    static void leaf() {}

    static void leaves(int n) {
        for (int i = 0; i < n; i++) leaf();
    }

    @SuppressWarnings("unchecked")
    private static <T> Seq<T> none() { return (Seq<T>) (Seq<?>) Nil$.MODULE$; }

    private void named(String name, Function0<Object> body) { test(name, none(), body, HERE); }

    public CartSuite() {
        named("one", () -> { leaves(1); return Assertions$.MODULE$.succeed(); });
        named("fails (no)", () -> { leaves(3); return Assertions$.MODULE$.fail("no", HERE); });
        named("cancels", () -> { leaves(4); return Assertions$.MODULE$.cancel("not here", HERE); });
        named("is pending", () -> { leaves(5); return Assertions$.MODULE$.pending(); });
        ignore("is ignored", none(), () -> { leaves(99); return null; }, HERE);
        for (int i = 1; i < 3; i++) {
            int n = i;
            named("numbered " + n, () -> { leaves(5 + n); return Assertions$.MODULE$.succeed(); });
        }
    }

    @Override public Status run(Option<String> name, Args args) {
        leaves(1000);
        try {
            return super.run(name, args);
        } finally {
            leaves(100);
        }
    }

    @Override public Status runTest(String name, Args args) {
        leaves(10);
        return super.runTest(name, args);
    }
}
