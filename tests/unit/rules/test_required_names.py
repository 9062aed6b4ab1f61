"""The names that a rule requires are in each class that it matches, by the JDK's own classes."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from classhook.ahead.jimage import Image
from classhook.classfile.pool import UTF8
from classhook.classfile.reader import ClassFile
from classhook.rules.parse import load
from classhook.rules.patterns import compile_glob
from classhook.rules.required_names import ANNOTATION, required_names
from classhook.rules.syntax import Rule
from classhook.weaving.plan import match
from tests.conftest import Jvm

CLASSES = 1200
RULES = (
    "count @FunctionalInterface jdk:**::*",
    "count jdk:**::@Deprecated *",
    "count jdk:java.**::@jdk.internal.vm.annotation.* @*Candidate *",
    "count jdk:**::toString",
    "count jdk:**::get*, jdk:**::<init>(int), jdk:sun.**::<*>",
    "count jdk:**::*Of*(..):java.util.*",
    "count jdk:**::*(java.lang.String, ..): boolean",
    "count jdk:**::*(.., java.lang.String[], ..)",
    "count jdk:**::*(): java.lang.String",
    "count calls java.util.List::add, java.lang.StringBuilder::append, *.*.Objects::require* in jdk:**::*",
    "count calls java.util.Collection+::size in jdk:**",
    "count writes java.util.ArrayList.size, java.util.HashMap.table in jdk:**",
    "alloc java.util.ArrayList, java.**.*Exception in jdk:**",
    "watch jdk:**::close",
    "context jdk:**::run",
)


@pytest.fixture(scope="module")
def sample(find_jvm: Callable[[int], Jvm]) -> list[ClassFile]:
    image = Image(find_jvm(25).java.parent.parent / "lib" / "modules")
    names = ["java.util.ArrayList", "java.util.HashMap", *random.Random(7).sample(sorted(image.class_names()), CLASSES)]
    files = [image.class_bytes(name.replace(".", "/")) for name in names]
    return [ClassFile.parse(data) for data in files if data]


def texts_of(cf: ClassFile) -> list[str]:
    return [cf.pool.utf8(i) for i in range(1, cf.pool.count) if cf.pool.offsets[i] and cf.pool.tag(i) == UTF8]


def has(texts: list[str], name: str) -> bool:
    if name.startswith(ANNOTATION):
        matches = compile_glob(name.removeprefix(ANNOTATION).replace("/", "."))
        return any(
            matches(text[1:-1].replace("/", ".")) for text in texts if text.startswith("L") and text.endswith(";")
        )
    matches = compile_glob(name.replace("/", "."))
    return any(matches(text.replace("/", ".")) for text in texts)


def can_match(rule: Rule, texts: list[str]) -> bool:
    return any(
        all(has(texts, name) for name in names) for target in rule.targets for names in required_names(rule, target)
    )


@pytest.mark.parametrize("text", RULES)
def test_what_matches_has_the_names(sample: list[ClassFile], text: str) -> None:
    rules = load([], [text])
    (rule,) = [rule for rule in rules.rules if rule.text == text]
    place = rules.rules.index(rule)
    matched = left_out = 0
    for cf in sample:
        plan = match(cf, cf.name.replace("/", "."), rules, in_jdk=True)
        matches = plan is not None and bool(plan.rules.get(place))
        possible = can_match(rule, texts_of(cf))
        assert possible or not matches, cf.name
        matched, left_out = matched + matches, left_out + (not possible)
    assert matched
    assert left_out
