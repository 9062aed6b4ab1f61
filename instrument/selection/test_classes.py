"""Which tests the classes have, by their annotations, or as JUnit 3 finds them."""

from __future__ import annotations

from classhook.selection.facts import ABSTRACT, ClassFacts
from classhook.selection.reach import Hierarchy

#: Annotations of methods that are tests, by the end of their names: JUnit 4 to 6, TestNG, jqwik, and what is composed of these.
TEST_ANNOTATIONS = ("Test", "TestFactory", "TestTemplate", "Property", "Example", "FeatureMetadata")
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


def _declared(facts: ClassFacts, is_junit3: bool) -> set[str]:
    found = set()
    for member, method in facts.methods.items():
        name, _, rest = member.partition("(")
        annotated = any(one.rpartition(".")[2].endswith(TEST_ANNOTATIONS) for one in method.annotations)
        if annotated or (is_junit3 and name.startswith("test") and rest == ")V"):
            found.add(name)
    return found
