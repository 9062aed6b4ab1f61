import cats.kernel.instances.all.given
import cats.kernel.laws.discipline.*
import org.scalacheck.Test
import org.scalacheck.rng.Seed

/** The laws of cats' kernel for the types of Scala's library, always with the same examples. */
@main def laws(): Unit =
  val sets = List(
    OrderTests[Int].order, OrderTests[String].order, OrderTests[Option[Int]].order, OrderTests[List[Int]].order,
    OrderTests[Vector[String]].order, OrderTests[(Int, String, Boolean)].order, OrderTests[Either[Int, String]].order,
    HashTests[Int].hash, HashTests[List[String]].hash, HashTests[Map[Int, String]].hash, HashTests[Option[Long]].hash,
    CommutativeGroupTests[Int].commutativeGroup, CommutativeGroupTests[BigInt].commutativeGroup,
    CommutativeGroupTests[(Int, Long)].commutativeGroup, MonoidTests[String].monoid, MonoidTests[List[Int]].monoid,
    MonoidTests[Map[String, Int]].monoid, MonoidTests[Option[Int]].monoid,
    SemigroupTests[Either[String, Int]].semigroup, BoundedSemilatticeTests[Set[Int]].boundedSemilattice,
    LowerBoundedTests[Int].lowerBounded, UpperBoundedTests[Byte].upperBounded, EqTests[Either[Int, Boolean]].eqv,
  )
  for set <- sets; (name, property) <- set.all.properties do
    val result = Test.check(Test.Parameters.default.withInitialSeed(Seed(1)), property)
    println(s"$name ${result.passed} ${result.succeeded}")
