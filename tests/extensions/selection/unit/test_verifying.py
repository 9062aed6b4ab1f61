"""The commands that run a test after another one, by build tool."""

from __future__ import annotations

import pytest

from classhook.base.errors import UsageError
from classhook.extensions.selection.blame.verifying import Chosen, line_of

BEFORE, AFTER = Chosen("a.SaleTest", "sale"), Chosen("a.PriceTest", "tea")
QUIET = ["-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"]


@pytest.mark.parametrize(
    ("tests", "chosen", "order"),
    [
        ([BEFORE, AFTER], "a.SaleTest#sale,a.PriceTest#tea", "reversealphabetical"),
        ([AFTER, BEFORE], "a.PriceTest#tea,a.SaleTest#sale", "alphabetical"),
        ([Chosen("a.SaleTest", ""), AFTER], "a.SaleTest,a.PriceTest#tea", "reversealphabetical"),
        ([Chosen("a.PriceTest", "sale"), AFTER], "a.PriceTest#sale+tea", "alphabetical"),
    ],
)
def test_maven(tests: list[Chosen], chosen: str, order: str) -> None:
    """Surefire takes several methods of a class with a plus, and orders classes by name only."""
    made = line_of(["./mvnw", "-o", "test"], tests)
    assert made == ["./mvnw", "-o", "test", f"-Dtest={chosen}", f"-Dsurefire.runOrder={order}", *QUIET]


def test_gradle() -> None:
    made = line_of(["gradle", "test"], [BEFORE, AFTER])
    assert made == ["gradle", "test", "--tests", "a.SaleTest.sale", "--tests", "a.PriceTest.tea"]


@pytest.mark.parametrize("scan", [["--scan-class-path"], ["--scan-classpath", "classes"], ["--select-package=a"]])
def test_the_console_launcher(scan: list[str]) -> None:
    """Options that chose tests in the command are left out."""
    before = ["java", "-jar", "junit-platform-console-standalone-1.13.4.jar", "execute", "-cp", "classes"]
    tests = [Chosen("a.SaleTest", "sale", "(int)"), Chosen("a.PriceTest", "")]
    chosen = ["--select-method=a.SaleTest#sale(int)", "--select-class=a.PriceTest"]
    assert line_of([*before, *scan, "--details=none"], tests) == [*before, "--details=none", *chosen]


def test_any_other_command() -> None:
    assert line_of(["./check", "{}", "-v"], [BEFORE, AFTER]) == ["./check", "a.SaleTest#sale", "a.PriceTest#tea", "-v"]
    with pytest.raises(UsageError, match=r"check is none of Maven, Gradle, .*; put \{\} where the command takes tests"):
        line_of(["./check"], [AFTER])
