package suite;

import org.scalatest.Args;
import org.scalatest.Assertions$;
import org.scalatest.Status;
import org.scalatest.Tag;
import org.scalatest.compatible.Assertion;
import org.scalatest.funsuite.AsyncFunSuite;
import scala.Option;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/** Its tests end on threads of a pool, after runTest() has returned. */
public class PoolSuite extends AsyncFunSuite {
    @SuppressWarnings("unchecked")
    public PoolSuite() {
        for (int i = 1; i < 4; i++) {
            int n = i;
            Seq<Tag> none = (Seq<Tag>) (Seq<?>) Nil$.MODULE$;
            test("pool " + n, none, () -> later(n), CartSuite.HERE);
        }
    }

    private Future<Assertion> later(int n) {
        return Future.apply(
            () -> {
                CartSuite.leaves(n);
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                if (n == 3) Assertions$.MODULE$.fail("no", CartSuite.HERE);
                return Assertions$.MODULE$.succeed();
            },
            executionContext());
    }

    @Override public ExecutionContext executionContext() { return ExecutionContext.global(); }

    @Override public Status run(Option<String> name, Args args) {
        CartSuite.leaves(2000);
        return super.run(name, args);
    }
}
