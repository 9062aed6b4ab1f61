"""Finds the tests of classes, by their annotations, or as JUnit 3 does."""

from __future__ import annotations

from classhook.extensions.selection.facts import ABSTRACT, ClassFacts, MethodFacts
from classhook.extensions.selection.hierarchy import Hierarchy

#: Annotations of methods that are tests, by the end of their names: JUnit 4 to 6, TestNG, jqwik, and what is composed
#: of these.
TEST_ANNOTATIONS = ("Test", "TestFactory", "TestTemplate", "Property", "Example", "FeatureMetadata")
#: Annotations of tests that may share an object: JUnit's lifecycle and order, TestNG, Spock.
SHARING = (
    *(
        "org.junit.jupiter.api.TestInstance",
        "org.junit.jupiter.api.TestMethodOrder",
        "org.testng.annotations.",
        "org.spockframework.",
        "spock.lang.",
    ),
    "org.junit.FixMethodOrder",
)
JUNIT3 = "junit/framework/TestCase"


def tests_of(classes: dict[str, ClassFacts], hierarchy: Hierarchy) -> set[str]:
    """The tests, by class and method: `com.acme.OrdersTest#places`."""
    return {f"{name.replace('/', '.')}#{method}" for name in classes for method in tests_in(name, classes, hierarchy)}


def tests_in(name: str, classes: dict[str, ClassFacts], hierarchy: Hierarchy) -> set[str]:
    """The methods that are tests of a class; an abstract class's are those of its subclasses."""
    if classes[name].flags & ABSTRACT:
        return set()
    above = hierarchy.above(name)
    return {method for one in (name, *above) if one in classes for method in _declared(classes[one], JUNIT3 in above)}


def is_test(method: MethodFacts) -> bool:
    """True if a method has a test's annotation."""
    return any(one.rpartition(".")[2].endswith(TEST_ANNOTATIONS) for one in method.annotations)


def shares_instances(name: str, classes: dict[str, ClassFacts], hierarchy: Hierarchy) -> bool:
    """True if tests of a class may run on the same object, so that one sees what another left in its fields."""
    for one in (name, *hierarchy.above(name)):
        facts = classes.get(one)
        if facts is not None:
            annotations = facts.annotations.union(*(method.annotations for method in facts.methods.values()))
            if any(text.startswith(SHARING) for text in annotations):
                return True
    return False


def _declared(facts: ClassFacts, is_junit3: bool) -> set[str]:
    found = set()
    for member, method in facts.methods.items():
        name, _, rest = member.partition("(")
        if is_test(method) or (is_junit3 and name.startswith("test") and rest == ")V"):
            found.add(name)
    return found
