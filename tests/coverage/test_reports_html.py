"""The HTML report of coverage in a browser without a window: what somebody sees who opens it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import jars
from tests.browser import Look
from tests.conftest import ENVIRONMENT, Jvm, classhook_command, execute, report_of, run_line
from tests.coverage.conftest import SOURCES, Compile, class_files, random_data
from tests.coverage.reporting import ReportCommand, classhook, report

__all__ = ["classhook", "report"]


@pytest.fixture(scope="module")
def program(compile_java: Compile, jdk: Jvm, agent: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """Arguments for the report of a program that ran."""
    classes = compile_java("missed", "javac17")
    data = tmp_path_factory.mktemp("program") / "jacoco.exec"
    assert execute([jdk.java, f"-javaagent:{agent}=destfile={data}", "-cp", classes, "Missed"]).status == 0
    return [data, "-f", "html", "--classes", classes]


LINES = """
    await lines();
    return [...document.querySelectorAll(".line")].map(e => [e.className, e.querySelector("a").textContent, e.querySelector("code").textContent,
        (e.querySelector("q") || {}).textContent || ""]);"""


def test_lines_have_colours_and_words(
    report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path
) -> None:
    assert report(*program, "--sources", SOURCES, "-o", tmp_path / "x.html").status == 0
    rows = look(tmp_path / "x.html", "document.querySelector('.file > .row').click();" + LINES)
    text = (SOURCES / "missed" / "Missed.java").read_text().splitlines()
    assert [row[2] for row in rows] == text
    assert [row[1] for row in rows] == [str(i + 1) for i in range(len(text))]
    by_line = {int(nr): (cls.replace("line", "").strip(), words) for cls, nr, _, words in rows}
    assert by_line[12] == ("part", "if (x > 0): never false")
    assert by_line[13] == ("full", "")
    assert by_line[14] == ("", "")
    assert by_line[16] == ("none", "not reached; line 15: if (x < 0): never true")
    for number, line in enumerate(text, 1):  # its comments say what is expected
        if "// " in line:
            assert by_line[number] == ("part", line.partition("// ")[2].replace(" | ", " · "))


def test_without_sources_lines_have_numbers_and_words(
    report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path
) -> None:
    assert report(*program, "-o", tmp_path / "x.html").status == 0
    rows, title = look(
        tmp_path / "x.html",
        LINES.replace("return ", "const rows = ") + "return [rows, document.title];",
        at="#Missed.java:16",
    )
    assert title == f"Coverage: {program[0]}"
    assert ["line part", "12", "", "if (x > 0): never false"] in rows
    assert ["line none here", "16", "", "not reached; line 15: if (x < 0): never true"] in rows


def test_lines_of_other_sources_have_numbers_and_words(
    report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path
) -> None:
    (tmp_path / "Missed.java").write_text("public class Missed {}\n")
    said = report(*program, "--sources", tmp_path, "-o", tmp_path / "x.html")
    assert (said.status, said.err.partition(" (")[0]) == (0, "classhook: 1 source file")
    assert ["line part", "12", "", "if (x > 0): never false"] in look(tmp_path / "x.html", LINES, at="#Missed.java:16")


def test_a_class_that_was_never_loaded_says_so(
    report: ReportCommand, look: Look, compile_java: Compile, program: list[str | Path], tmp_path: Path
) -> None:
    assert report(*program, "--classes", compile_java("hits", "javac17"), "-o", tmp_path / "x.html").status == 0
    rows = look(tmp_path / "x.html", LINES, at="#Hits.java")
    assert any(words == "the class Hits was never loaded" for _, _, _, words in rows)


def test_dark_and_light(report: ReportCommand, program: list[str | Path], look: Look, tmp_path: Path) -> None:
    assert report(*program, "-o", tmp_path / "x.html").status == 0
    back = "getComputedStyle(document.body).backgroundColor"
    first, second = look(
        tmp_path / "x.html", f"const a = {back}; document.querySelector('#theme').click(); return [a, {back}];"
    )
    assert {first, second} == {"rgb(255, 255, 255)", "rgb(13, 17, 23)"}


def test_a_thousand_classes_open_at_once(report: ReportCommand, look: Look, tmp_path: Path) -> None:
    """All panels have their height; lines exist only near what is seen, wherever one scrolls."""
    jar = jars.find("h2.jar") or pytest.skip(jars.missing("h2.jar"))
    (tmp_path / "h2.exec").write_bytes(random_data(class_files(jar), 2))
    assert report(tmp_path / "h2.exec", "-f", "html", "--classes", jar, "-o", tmp_path / "x.html").status == 0
    panels, height, first, then, seen = look(
        tmp_path / "x.html",
        """
        document.querySelector("#all").click(); await pause(800);
        const count = () => document.querySelectorAll(".line").length;
        for (let i = 0; i < 50 && !count(); i++) await pause(100);
        const first = count();
        const panels = [...document.querySelectorAll(".source")];
        const seen = () => panels.filter(e => { const r = e.getBoundingClientRect(); return r.top < innerHeight && r.bottom > 0; });
        const filled = () => seen().length > 0 && seen().every(e => e.querySelector(".line"));
        scrollTo(0, document.body.scrollHeight * 0.6);
        for (let i = 0; i < 50 && !filled(); i++) { scrollBy(0, 1); await pause(100); }
        return [panels.length, document.body.scrollHeight, first, count(), filled()];""",
    )
    assert panels > 700
    assert height > 1_000_000
    assert 0 < first < 5000
    assert 0 < then < 20_000
    assert seen


def test_names_and_sources_are_text_and_nothing_else(
    report: ReportCommand, look: Look, program: list[str | Path], tmp_path: Path
) -> None:
    source = (
        (SOURCES / "missed" / "Missed.java")
        .read_text()
        .replace("// if (x > 0): never false", "// </script><b id=evil>&amp;")
    )
    (tmp_path / "Missed.java").write_text(source)
    assert (
        report(*program, "--sources", tmp_path, "--title", "</script><b id=evil>", "-o", tmp_path / "x.html").status
        == 0
    )
    actions = (
        LINES.replace("return ", "const rows = ") + "return [rows, document.title, !!document.querySelector('#evil')]"
    )
    rows, title, evil = look(tmp_path / "x.html", actions, at="#Missed.java")
    assert "</script><b id=evil>&amp;" in rows[11][2]
    assert title == "Coverage: </script><b id=evil>"
    assert not evil


def test_heat_is_of_the_bytecodes_that_lines_executed(
    compile_java: Compile, jdk: Jvm, look: Look, tmp_path: Path
) -> None:
    """The bytecodes of all lines add up to those of the methods, which the JVM's single steps confirm elsewhere."""
    line = [jdk.java, "-cp", compile_java("missed", "javac17"), "Missed"]
    assert execute(run_line(["cover Missed hits exact"], tmp_path / "data", line)).status == 0
    words = ["coverage", tmp_path / "data", "-f", "html", "--sources", SOURCES, "-o", tmp_path / "x.html"]
    assert execute([*classhook_command(), *words]).status == 0
    found = look(
        tmp_path / "x.html",
        """
        document.querySelector(".file > .row").click(); await lines();
        const shown = [...document.querySelectorAll(".line")].map(e => [e.title, e.querySelector("s").textContent,
            +e.querySelector("s").style.getPropertyValue("--share")]);
        const orders = [...document.querySelectorAll("option")].filter(e => !e.disabled).map(e => e.value);
        return [shown, orders, document.querySelector(".file > .row > span:last-child").title];""",
    )
    shown, orders, total = found
    executed = sum(row["bytecodes"] for row in report_of(tmp_path / "data")["coverage"])
    numbers = [int(title.split(", ")[-2].split()[0].replace(",", "")) for title, *_ in shown if title]
    assert sum(numbers) == executed
    assert total.startswith(f"{executed:,} bytecodes, 100.0 % of all")
    hottest = max(shown, key=lambda one: one[2])
    assert (hottest[2], f"{max(numbers):,} bytecodes" in hottest[0]) == (90, True)
    assert hottest[1].split()[0] == str(round(100 * max(numbers) / executed))
    assert "heat" in orders


def test_a_file_opens_at_its_first_missed_line(
    report: ReportCommand, look: Look, program: list[str | Path], tmp_path: Path
) -> None:
    """And keys lead to the next ones and back."""
    text = (SOURCES / "missed" / "Missed.java").read_text()
    (tmp_path / "Missed.java").write_text(text + "\n" * 200)
    assert report(*program, "--sources", tmp_path, "-o", tmp_path / "x.html").status == 0
    found = look(
        tmp_path / "x.html",
        """
        const height = () => document.querySelector("header").getBoundingClientRect().bottom;
        document.querySelector(".file > .row").click(); await lines();
        const seen = nr => { const r = [...document.querySelectorAll(".line")][nr - 1].getBoundingClientRect(); return r.top >= height() && r.bottom <= innerHeight; };
        const key = async k => { document.body.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true })); await pause(80); };
        const first = seen(12), at = [scrollY];
        for (const k of "jjk") { await key(k); at.push(scrollY); }
        return [first, at];""",
    )
    first, at = found
    assert first
    assert at[1] < at[2], at
    assert at[3] < at[2], at


@pytest.fixture(scope="module")
def by_test(compile_java: Compile, jdk: Jvm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 3,000 tests."""
    folder = tmp_path_factory.mktemp("orders")
    classes = compile_java("orders", "javac17")
    rules = 'context Orders::test by arg0 as "test"', "cover Orders"
    done = subprocess.run(
        run_line(rules, folder / "data", [jdk.java, "-cp", classes, "Orders"]),
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr
    line = [
        *classhook_command(),
        "coverage",
        folder / "data",
        "--by",
        "context",
        "-f",
        "html",
        "--sources",
        SOURCES / "orders",
        "-o",
        folder / "x.html",
    ]
    assert execute(line).status == 0
    return folder / "x.html"


#: Opens the file and shows who ran line `nr`.
WHO = """
    const file = document.querySelector(".file > .row");
    if (file.getAttribute("aria-expanded") === "false") file.click();
    await lines();
    const button = nr => [...document.querySelectorAll(".line > button")][nr - 1], who = document.querySelector("#who");
    const names = nr => { button(nr).click(); return [...who.querySelectorAll("a")].map(e => e.textContent); };
    const within = e => {
        const r = e.getBoundingClientRect();
        return r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight;
    };
    const until = async done => { for (let i = 0; i < 100 && !done(); i++) await pause(20); return !!done(); };
"""


def names(*numbers: int) -> list[str]:
    return [f"test [OrdersTest.number{number}]" for number in numbers]


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (480, True)])
def test_a_line_lists_the_tests_that_ran_it(look: Look, by_test: Path, width: int, dark: bool) -> None:
    found = look(
        by_test,
        WHO
        + """
        const counts = [...document.querySelectorAll(".line > button")].map(e => e.disabled ? "" : e.textContent);
        const lists = [7, 9, 11].map(names), inside = within(who);
        button(9).scrollIntoView({ block: "end" });  // there is no room below
        names(9);
        const above = within(who), colours = [getComputedStyle(who).color, getComputedStyle(who).backgroundColor];
        dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
        const focus = document.activeElement === button(9), wide = document.documentElement.scrollWidth;
        return { counts, lists, inside, above, colours, hidden: who.hidden, focus, wide };""",
        width=width,
        dark=dark,
    )
    assert [text.replace("\u2009T", "") for text in found["counts"][5:12]] == [
        "3,000",
        "1,500",
        "3,000",
        "3",
        "3,000",
        "1",
        "3,000",
    ]
    assert set(found["counts"][:5] + found["counts"][12:]) == {""}
    assert found["lists"] == [names(*range(0, 3000, 2)), names(7, 1007, 2007), names(2999)]
    assert (found["inside"], found["above"], found["hidden"], found["focus"]) == (True, True, True, True)
    assert found["colours"] == (
        ["rgb(230, 237, 243)", "rgb(13, 17, 23)"] if dark else ["rgb(27, 31, 36)", "rgb(255, 255, 255)"]
    )
    assert found["wide"] == width  # nothing to scroll sideways


def test_from_a_line_to_a_test_and_to_its_lines(look: Look, by_test: Path) -> None:
    """A link leads to the test's row; that marks its lines, and leads back to them, again and again."""
    found = look(
        by_test,
        WHO
        + """
        names(11);
        const test = () => document.querySelector(".test.open"), link = () => test().querySelector("a");
        who.querySelector("a").click();
        const shown = await until(() => test() && test().querySelector("a")) && within(test().querySelector(".row"));
        const at = [location.hash, who.hidden, test().querySelector(".row").getAttribute("aria-expanded"), link().textContent];
        const mark = test().querySelector(".mark"), before = [mark.textContent, mark.getBoundingClientRect().top];
        mark.click();
        const stays = mark.getBoundingClientRect().top === before[1], marked = mark.textContent;
        link().click();
        const here = () => { const e = document.querySelector(".here"); return e && within(e); };
        const once = await until(here);
        const mine = [...document.querySelectorAll(".mine > a")].map(e => +e.textContent);
        scrollTo(0, 40000); await pause(50);
        const away = !here();
        link().click();
        const again = await until(here);
        test().querySelector(".mark").click();
        const unmarked = await until(() => document.querySelector(".line") && !document.querySelector(".mine"));
        test().querySelector(".row").click();
        return { shown, at, before: before[0], stays, marked, once, mine, away, again, unmarked, closed: !test() };""",
    )
    hash_, hidden, expanded, text = found["at"]
    assert hash_.startswith("#test:")
    assert (found["shown"], hidden, expanded, text) == (True, True, "true", "Orders.java: 6, 8, 10-12; only here 11")
    assert (found["before"], found["marked"]) == ("mark its lines in the sources", "its lines are marked: unmark them")
    assert found["mine"] == [6, 8, 10, 11, 12]
    assert all(found[one] for one in ("stays", "once", "away", "again", "unmarked", "closed"))


def test_tests_are_found_by_their_names(look: Look, by_test: Path) -> None:
    found = look(
        by_test,
        """
        const field = document.querySelector("input[type=search]"), below = document.querySelector("#below");
        below.click(); await pause(50);
        const top = document.querySelector(".tests").getBoundingClientRect().top - document.querySelector("header").offsetHeight;
        const rows = () => [...document.querySelectorAll(".test > .row")];
        const height = e => e.getBoundingClientRect().height;
        const gaps = [...new Set(rows().slice(0, 20).map(e => Math.round(height(e.parentNode) - height(e))))];
        const all = rows().length, first = rows()[0].textContent, grey = document.querySelectorAll(".test > .row > span > i").length;
        field.value = "number29"; field.dispatchEvent(new Event("input"));
        const words = [field.placeholder, below.textContent, below.title];
        return { words, top: Math.round(top), gaps, all, first, grey, some: rows().length };""",
    )
    assert found["words"] == [
        "package, class or context",
        "3,000 contexts",
        "2,997 add no line and no branch to the others, but may check what these do not",
    ]
    assert found["top"] == 0
    assert found["gaps"] == [0]  # closed rows have nothing below them
    assert (found["all"], found["grey"]) == (3000, 2997)
    assert found["first"].startswith("test [OrdersTest.number2999]")
    assert found["some"] == 111  # 29, 290 to 299, 2900 to 2999
