"""The rule `watch`: calls with known arguments, results and fields (java/watch/Watched.java), each seen exactly as
often as it was."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Compiled, FindJvm, Jvm, Result, Run, classhook_command, execute, releases, run_line

CHECKED = "-Xcheck:jni"


@pytest.fixture(scope="module", params=releases(17, 25), ids=lambda version: f"jdk{version}")
def jvm(request: pytest.FixtureRequest, find_jvm: FindJvm) -> Jvm:
    return find_jvm(request.param)


@pytest.fixture(scope="module")
def watch(jvm: Jvm, compiled: Compiled, run: Run) -> Any:
    """Runs parts of the program with these rules."""

    def watched(rules: str | list[str], *parts: str, options: tuple[str, ...] = ()) -> Result:
        result = run(rules, jvm.java, CHECKED, *options, "-cp", compiled("watch"), "Watched", *parts)
        assert result.status == 0, result.stderr
        assert "WARNING" not in result.stdout + result.stderr  # of -Xcheck:jni
        return result

    return watched


def calls(result: Result, name: str = "") -> list[dict[str, Any]]:
    return [row for row in result.report["calls"] if name in ("", row["name"])]


def text_of(result: Result) -> str:
    assert result.data
    return execute([*classhook_command(), "report", result.data, "--wide", "--top", "0"]).stdout


ALL = list(range(10))
#: For which calls of `all` each condition holds: those that the method's code decides, those that the agent decides,
#: and both.
CONDITIONS = {
    "arg0 > 6": [7, 8, 9],
    "arg0 >= 6 && arg0 != 7": [6, 8, 9],
    "!(arg0 < 8)": [8, 9],
    "arg0 < 2 || arg0 > 7": [0, 1, 8, 9],
    "3 >= arg0": [0, 1, 2, 3],
    "arg0 == 1 || arg0 in {3, 5}": [1, 3, 5],
    "arg0 == 2 || arg0 > 5 && (arg0 < 7 || arg6 == 's9')": [2, 6, 9],
    "arg1 > 0x1FFFFFFFF": ALL[1:],
    "arg1 == 17179869184": [2],
    "arg2 > 3.5": [8, 9],
    "arg2 == 1": [2],
    "arg3 <= 0.5": [0, 1, 2],
    "arg3 > 0.3": ALL[2:],
    "arg4": [0, 3, 6, 9],
    "!arg4 && arg0 < 3": [1, 2],
    "arg4 == false && arg0 < 3": [1, 2],
    "arg5 == 'c'": [2],
    "arg5 > 104": [8, 9],
    'arg5 == "d"': [3],
    'arg6 == "s3"': [3],
    'arg6 != "s3" && arg0 < 5': [0, 1, 2, 4],
    "arg6 == null": [5],
    "arg6 != null && arg0 < 7 && arg0 > 3": [4, 6],
    "arg6.length == 2": [0, 1, 2, 3, 4, 6, 7, 8, 9],
    "arg7 == 4": [4],
    'arg7 == "NEW"': [0, 1, 2, 3, 5, 7, 8, 9],
    'arg7 == "str"': [6],
    'arg7 != "NEW"': [6],
    "arg8 == null": [6, 7, 8, 9],
    'arg8.name == "Ann"': [0, 1, 2],
    "arg8.name == null": ALL[3:],
    "arg8.vip": [0, 1, 2],
    "!arg8.vip": [3, 4, 5],
    'arg8.inherited == "base"': ALL[:6],
    "arg8.next.name == null": ALL,
    "arg8.next != null": [0, 1, 2],
    'arg8.state == "PAID"': ALL[:6],
    "arg8.hidden > 1.5": ALL[:6],
    "arg9 < -7": [8, 9],
    "arg10 >= 8000": [8, 9],
    'this.state == "NEW"': ALL,
    "this.count >= 4": [8, 9],
    "this.big == 1099511627776 && arg0 < 1": [0],
    "this.d > 2.4 && arg0 < 1": [0],
    "this.f == 1.5 && arg0 == 1": [1],
    "this.on && arg0 < 1": [0],
    "this.c == 'x' && arg0 < 1": [0],
    'this.e == "NEW" && arg0 < 1': [0],
    "this.nothing == null && arg0 < 1": [0],
    "this.shared == 9 && arg0 < 1": [0],
    "result > 7": [8, 9],
    "result == arg0 && arg0 < 1": [0],
    "exception == null && arg0 < 1": [0],
    "arg0 == arg2 || arg0 == 9": [0, 9],
    "this == null": [],
    "this != null && arg0 == 3": [3],
    "(arg0 == 1 || (arg0 > 3 && !(arg6 == null || arg0 >= 7))) && arg0 != 4": [1, 6],
    "arg0 > 2.5 && arg0 < 5": [3, 4],
    'arg6 == "s\\u0033"': [3],
}


@pytest.mark.core
def test_each_condition_holds_for_the_calls_that_it_means(watch: Any) -> None:
    result = watch(
        [f'watch Watched::all when {text} show arg0 as "{i}"' for i, text in enumerate(CONDITIONS)], "conditions"
    )
    found = {text: [row["fields"]["i"] for row in calls(result, str(i))] for i, text in enumerate(CONDITIONS)}
    assert found == CONDITIONS


def test_parameters_have_their_own_names(watch: Any) -> None:
    """Each condition on a number means the same with the name that the class file has."""
    names = dict(enumerate(["i", "l", "d", "f", "z", "c", "s", "o", "u", "b", "h"]))
    named = {text: re.sub(r"arg(\d+)", lambda found: names[int(found[1])], text) for text in CONDITIONS}
    rules = [
        *(f'watch Watched::all when {text} show i, s as "{i}"' for i, text in enumerate(named.values())),
        "count Watched::all by s",
        "value Watched::all of l by u.name",
    ]
    result = watch(rules, "conditions")
    found = {text: [row["fields"]["i"] for row in calls(result, str(i))] for i, text in enumerate(CONDITIONS)}
    assert found == CONDITIONS
    assert {row["key"] for row in result.report["keys"]} == {*(f"s{i}" for i in ALL if i != 5), "null"}
    assert sum(row["count"] for row in result.report["values"]) == len(ALL)


def test_calls_of_which_a_condition_is_true_are_counted(watch: Any) -> None:
    """Beside all calls; whether code decides the condition, or the agent does, at the entry or at the end."""
    result = watch([f"count Watched::all when {text}" for text in CONDITIONS], "conditions")
    assert {row["key"]: row["calls"] for row in result.report["keys"]} == {
        f"when {text}": len(held) for text, held in CONDITIONS.items() if held
    }
    assert [row["calls"] for row in result.report["methods"]] == [len(ALL)]
    assert not result.report["calls"]


def test_calls_that_throw_are_counted_by_their_exception(watch: Any) -> None:
    rules = [
        "watch Watched::* when thrown != null show exception first 1000000",
        "count Watched::* when thrown != null",
        "count Watched::* when thrown == null",
    ]
    result = watch(rules, "exceptions")
    met = {
        key: sum(row["calls"] for row in result.report["keys"] if row["key"] == f"when {key}")
        for key in ("thrown != null", "thrown == null")
    }
    assert met["thrown != null"] == len(calls(result)) > 0
    assert sum(met.values()) == sum(row["calls"] for row in result.report["methods"])


def test_a_parameter_that_there_is_not(watch: Any) -> None:
    rules = [
        "watch Watched::fib when m == 15",
        "count Watched::parallel by thread, wrong",
        "watch Watched::* when wrong",
    ]
    result = watch(rules, "fib")
    told = [row["detail"] for row in result.report["classes"]["skipped"] if row["reason"] == "rule-does-not-fit"]
    assert "`m`: fib(int) has no parameter m; its parameters: n" in told
    assert any(one.startswith("`wrong`: parallel(int, int) has no parameter wrong; its parameters: ") for one in told)
    assert "no method of the classes it names that has a parameter `wrong`: watch Watched::* when wrong" in text_of(
        result
    )


def test_a_field_that_objects_do_not_have(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    conditions = {
        "arg8.nosuch == 1": [],
        "!(arg8.nosuch == 1) && arg0 < 8": [6, 7],
    }  # from the 6th on, the argument is null
    rules = [f'watch Watched::all when {text} show arg0 as "{i}"' for i, text in enumerate(conditions)]
    line = run_line(rules, tmp_path / "data", [jvm.java, CHECKED, "-cp", compiled("watch"), "Watched", "conditions"])
    assert execute(line).status == 0
    done = execute([*classhook_command(), "report", "-f", "json", tmp_path / "data"])
    assert done.status == 1  # something that was asked for is missing
    report = json.loads(done.stdout)
    assert [[row["fields"]["i"] for row in report["calls"] if row["name"] == str(i)] for i in range(2)] == [
        *conditions.values()
    ]
    assert set(report["processes"][0]["notes"]) == {
        "a rule names the field nosuch, which objects of Watched$Customer do not have"
    }


@pytest.mark.core
def test_values_of_all_kinds(watch: Any) -> None:
    result = watch("watch Watched::values", "kinds")
    first, *others = calls(result)
    assert list(first["args"].values()) == [True, -1, "é", -2, -(1 << 31), (1 << 63) - 1, 1.5, "-Infinity", None]
    assert first["args"].keys() == set("zbcsilfdo")
    assert others[0]["args"]["d"] == "NaN"
    assert [row["result"] for row in others] == [
        'say "hi"\n\0€😀',
        "half \ud83d",
        [1, 2, 3],
        [{"class": "java.lang.String[]", "length": 1, "elements": []}, None],
        {"class": "java.lang.Object[]", "length": 11, "elements": [None] * 10},
        "c",
        1.0,
        True,
        "PAID",
        {"class": "Watched$Customer"},
        {"class": "java.lang.Class"},
        ["x"],
        "",
        {"string": "a" * 199, "length": 201},
        {"string": "b" * 200, "length": 5000},
        [],
        [True],
    ]
    assert "\\ud83d" in text_of(result)  # a terminal cannot show half of a character


def test_recursion(watch: Any) -> None:
    result = watch(
        ["watch Watched::fib when arg0 == 10 show args, result", 'watch Watched::deep when result == 5 as "deep"'],
        "fib",
        "deep",
    )
    assert result.stdout.split() == ["610", "1000"]
    fib = [row for row in calls(result) if row["method"] == "fib"]
    assert [(row["args"], row["result"]) for row in fib] == [({"n": 10}, 55)] * 8
    assert [row["args"] for row in calls(result, "deep")] == [{"n": 5}]
    assert {(row["trace_id"], row["span_id"]) for row in calls(result)} == {(None, None)}  # there is no OpenTelemetry


def test_constructors_before_and_behind_super(watch: Any) -> None:
    result = watch("watch Watched$Made::<init> show args, this.id, this.inherited", "constructors")
    ended = [
        (row["args"]["id"], row["fields"]["this.id"], row["fields"]["this.inherited"], row["exception"])
        for row in calls(result)
    ]
    failed = "java.lang.IllegalArgumentException"
    assert ended == [
        (-2, None, None, failed),
        (-1, None, None, failed),
        (0, 0, "base", None),
        (1, 1, "base", None),
        (2, 2, "base", None),
    ]
    assert calls(result)[0]["message"] == "negative: -2"


def test_exceptions(watch: Any) -> None:
    rules = [
        "watch Watched::throwing when exception != null",
        'watch Watched::throwing when exception == null mask message as "well"',
    ]
    result = watch(rules, "exceptions")
    thrown = [
        (row["args"]["i"], row["exception"].rpartition(".")[2], row["message"])
        for row in calls(result)
        if row["name"] is None
    ]
    state = "IllegalStateException"
    assert thrown == [(1, state, "odd 1"), (3, state, "odd 3"), (4, "Error", None), (5, state, "odd 5")]
    assert [row["result"] for row in calls(result, "well")] == [0, 2]
    assert 'Watched.throwing(3) threw IllegalStateException: "odd 3"' in text_of(result)


def test_only_slow_ones(watch: Any) -> None:
    result = watch("watch Watched::slow over 150ms", "slow")
    assert [row["args"]["ms"] for row in calls(result)] == [200]
    assert calls(result)[0]["took_ns"] >= 150e6


def test_secrets(watch: Any) -> None:
    show = "show args, arg2.password, arg2.name, arg2.next.password"
    rules = [
        f"watch Watched::login mask password, **.password {show}",
        f'watch Watched::login mask arg0, exception {show} as "user"',
    ]
    result = watch(rules, "login")
    (row,) = calls(result, "user")
    (masked,) = [row for row in calls(result) if row["name"] is None]
    hidden = {"masked": True}
    assert masked["args"] == {"user": "ann", "password": hidden, "customer": {"class": "Watched$Customer"}}
    assert masked["fields"] == {"customer.password": hidden, "customer.name": "Ann", "customer.next.password": hidden}
    assert row["args"]["user"] == hidden
    assert text_of(result).count("hunter2") == 1  # by the rule that hides something else


OPEN, FAILS = "watch Watched$Vault::open", "watch Watched$Vault::fails"
#: Each hides all that it shows.
SECRETS = [
    f"{FAILS} mask exception show result",
    f"{FAILS} mask message show exception.message, exception",
    f"{FAILS} mask **.message show stack 4",
    f"{FAILS} mask password, exception",
    "time Watched$Vault::fails slowest 3 mask args, exception",
    f"{FAILS} mask * show args, this.password",
    f"{OPEN} mask args, result",
    "time Watched$Vault::open slowest 3 mask args, result",
    f"{OPEN} mask arg* show args, arg2.password, arg1.length",
    f"{OPEN} mask customer show arg2.password, arg2.next.next.password, arg2.password.value, arg2",
    (
        f"{OPEN} mask password, tokens, **.password show args, arg2.password, arg2.next.password, this.password,"
        " this.next.password.value"
    ),
    f"{OPEN} mask arg0, arg1, customer.*, this.next show args, arg2.password, arg2.next.password, this.next.password",
    f"{OPEN} mask ** show args, result",
    f"{OPEN} mask this, result show this, this.password, result.value, result.length, result",
    f"{OPEN} mask args.password show arg2.password, arg2.password.value",
]


def test_a_secret_is_nowhere(watch: Any) -> None:
    """Neither in the data, byte by byte, nor in any report; a text that no mask is about is in all of these places."""
    rules = [f'{rule} as "{i}"' for i, rule in enumerate(SECRETS)]
    result = watch([*rules, f'{OPEN} when arg0.length == 6 as "open"'], "secrets", "secrets without a mask")
    assert {row["name"] for row in calls(result)} == {*map(str, range(len(SECRETS))), "open"}
    assert result.data
    files = b"".join(file.read_bytes() for file in result.data.rglob("*") if file.is_file())
    line = [*classhook_command(), "report", "--all", result.data]
    forms = {form: execute([*line, "-f", form]).stdout for form in ("text", "json", "jsonl", "csv", "html")}
    for text, there in (("hunter2", False), ("open\U0001f600", True)):
        codes = {code: text.encode(code) in files for code in ("utf-8", "utf-16-le", "utf-16-be")}
        assert codes == {"utf-8": False, "utf-16-le": there, "utf-16-be": False}
        found = json.dumps(text)[1:-1]
        assert {form: text in said or found in said for form, said in forms.items()} == dict.fromkeys(forms, there)
    rows = [row for row in calls(result) if row["name"] != "open"]
    shown = [
        value
        for row in rows
        for value in (*(row["args"] or {}).values(), *(row["fields"] or {}).values(), row["message"], row["result"])
    ]
    classes = [{"class": name} for name in ("java.lang.IllegalStateException", "Watched$Vault")]
    assert all(value in (None, {"masked": True}, *classes) for value in shown)


def test_eight_threads(watch: Any) -> None:
    rules = [
        "watch Watched::parallel when arg1 >= 900 show args, result, stack 2",
        'watch Watched::parallel first 100 as "first"',
    ]
    result = watch([*rules, "count Watched::parallel"], "threads")
    many = [row for row in calls(result) if row["name"] is None]
    assert sorted((row["args"]["thread"], row["args"]["i"]) for row in many) == [
        (t, i) for t in range(8) for i in range(900, 1000)
    ]
    assert {(row["thread"], row["args"]["thread"]) for row in many} == {(f"worker {t}", t) for t in range(8)}
    assert all(row["result"] == row["args"]["thread"] * row["args"]["i"] for row in many)
    assert {row["stack"][0].partition("(")[0] for row in many} == {"Watched.lambda$threads$0"}
    assert len(calls(result, "first")) == 100
    assert result.method("Watched::parallel")["calls"] == 8000


def test_first_and_every(watch: Any) -> None:
    result = watch(
        [
            "watch Watched::wide first 7 show arg0",
            'watch Watched::wide every 60s as "every"',
            'watch Watched::wide as "usual"',
        ],
        "hot",
    )
    assert result.stdout.strip() == str(sum(range(200_000)))
    assert [row["fields"]["a"] for row in calls(result) if row["name"] is None] == list(range(7))
    assert (len(calls(result, "every")), len(calls(result, "usual"))) == (1, 1000)


def test_the_slowest(watch: Any) -> None:
    result = watch(
        ["watch Watched::wait slowest 3 show arg0", 'watch Watched::wide slowest 5 as "hot"'], "order", "hot"
    )
    assert sorted(row["fields"]["ms"] for row in calls(result) if row["name"] is None) == [60, 70, 80]
    assert len(calls(result, "hot")) == 5


def test_a_rule_that_times_keeps_its_slowest_calls(watch: Any) -> None:
    result = watch('time Watched::wait tree slowest 3 mask nothing as "slow"', "order")
    assert result.method("Watched::wait")["calls"] == 9
    assert sorted(row["args"]["ms"] for row in calls(result, "slow")) == [60, 70, 80]
    assert all(row["stack"] for row in calls(result))


def test_arguments_as_they_were_passed(watch: Any) -> None:
    result = watch("watch Watched::wide", "wide")
    assert [(row["args"], row["result"]) for row in calls(result)] == [
        ({"a": 1 << 40, "b": 2.5, "rest": [1, 2, 3]}, (1 << 40) + 6)
    ]


def test_arguments_are_not_kept_alive(jvm: Jvm, compiled: Compiled, run: Run) -> None:
    rules = [
        "watch Lazy::walk",
        "watch Lazy::arrays",
        'watch Lazy::walk show arg0.number, arg1 as "field"',
        "time Lazy::{walk,arrays} slowest 5",
    ]
    rules += ["watch Lazy$Node::last show this, this.number"]
    result = run(rules, jvm.java, CHECKED, "-Xmx16m", "-cp", compiled("watch"), "Lazy", "1000000")
    assert (result.status, result.stdout) == (0, "1000000 2\n10 4 7\n"), result.stderr
    node = {"class": "Lazy$Node"}
    walked = [[*row["args"].values()] for row in calls(result) if row["args"] and row["method"] == "walk"]
    assert [node, 1_000_000] in walked
    assert all(one[0] == node for one in walked)
    assert [row["fields"] for row in calls(result, "field")][1] == {"at.number": 7, "n": 3}
    assert [row["fields"] for row in calls(result) if row["method"] == "last"] == [{"this": node, "this.number": 1}]


def test_a_stack_that_overflows_is_the_programs(watch: Any) -> None:
    result = watch("watch Watched::endless first 5", "overflow", options=("-Xss512k",))
    assert result.stdout == "overflow\n"
    assert all(row["exception"] == "java.lang.StackOverflowError" for row in calls(result))


def test_beside_other_measures(watch: Any) -> None:
    """Two that need a local each with code that jumps: timing some calls only, and several rules that watch."""
    rules = [
        "time Watched::fib sample 1/10",
        "watch Watched::fib when arg0 > 14",
        'watch Watched::fib when arg0 == 13 || arg0 == 14 as "two"',
    ]
    result = watch(rules, "fib")
    assert result.method("Watched::fib")["calls"] == 1973
    assert [row["args"]["n"] for row in calls(result) if row["name"] is None] == [15]
    assert [row["args"]["n"] for row in calls(result, "two")] == [13, 14, 13]


def test_what_does_not_fit_is_said_and_the_rest_is_watched(watch: Any) -> None:
    rules = [
        "watch Watched::parallel show arg2",
        "watch Watched::fib when this.x == 1",
        'watch Watched::fib when arg0 == "x"',
        "watch Watched::slow show arg0.x",
        'watch Watched::all when arg0 == 15 && this.nosuch == 3 as "doubt"',
        "watch Watched::* when arg3 > 5 show this, result, args",
        "watch Watched::fib when arg0 == 15",
    ]
    result = watch(rules, "fib")
    told = [row["detail"] for row in result.report["classes"]["skipped"] if row["reason"] == "rule-does-not-fit"]
    assert "`arg2`: parallel(int, int) has no argument arg2; its arguments are arg0 to arg1" in told
    assert "`this.x`: fib(int) is static, so there is no `this`; use its arguments and `result`" in told
    assert "`arg0` of fib(int) is of type int; compare it with a number" in told
    assert "`arg0.x`: arg0 of slow(int) is of type int, which has no fields" in told
    assert any(line.startswith("`this.nosuch`: Watched has no field nosuch; its fields: ") for line in told)
    assert not [line for line in told if "arg3" in line]  # methods that a wildcard matches need not fit
    assert [row["args"] for row in calls(result)] == [{"n": 15}]


def test_lines_of_json_and_reset_data(watch: Any) -> None:
    result = watch("watch Watched::wide", "wide")
    assert result.data
    done = execute([*classhook_command(), "report", "-f", "jsonl", result.data])
    assert done.stdout.count("\n") == 1
    assert '"table": "calls"' in done.stdout
    assert '"args": {"a": 1099511627776, "b": 2.5, "rest": [1, 2, 3]}' in done.stdout


#: Conditions on fields of objects of many shapes (java/watch/Further.java).
FURTHER = [
    "arg1.number == 1",
    "arg1.number == 10",
    'arg1.number != "x"',
    "arg1.hidden >= 2",
    "arg1.number == null",
    'arg1.text == "text"',
    'arg1.text != "base"',
    "arg1.z",
    "!arg1.z",
    "arg1.b < 0",
    'arg1.c == "x"',
    "arg1.s > 299.5",
    "arg1.l == 1152921504606846976",
    "arg1.l < 0",
    "arg1.f != 2",
    "arg1.f > 1e20",
    "arg1.d == 0.1",
    'arg1.vl == 7 && arg1.vt != "text"',
    "arg1.none == null",
    'arg1.any == "text"',
    'arg1.any == "NEW"',
    "arg1.any != null",
    "arg1.boxed == 5",
    "arg1.wide > 4.5",
    "arg1.yes == false",
    'arg1.state == "PAID"',
    'arg1.constant != "NEW"',
    "arg1.ints.length == 2",
    'arg1.face == "text"',
    "arg1.shared == 3",
    "arg1.x == 1 || arg1.y < 0",
    'arg1.any.text == "base"',
    "arg1.itself.itself.i == 1048576",
    "arg1.length == 1",
    'arg1.next.next.number == "one"',
    "arg1.arg$1 != null",
    "arg2.list.size == 2",
    "arg2.map.size == 2",
    "arg2.size == 9",
    "this.own.number == 1",
    'this.own.any.text == "base"',
    "this.own == null",
]


def test_code_and_agent_agree_about_fields_of_objects(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    agents = [
        f'({text}) || thread == "nobody"' for text in FURTHER
    ]  # a name that code does not know leaves all to the agent
    rules = [
        f'watch Further::see when {text} show arg0 first 100000 as "{i}"' for i, text in enumerate([*FURTHER, *agents])
    ]
    results = [text for text in FURTHER if "arg1" in text]
    rules += [
        f"watch Further::back when {text.replace('arg1', 'result')} show arg0 first 100000 as"
        f' "{text.replace(chr(34), "")}"'
        for text in results
    ]
    rules += [
        "watch Further::number when result >= 20 && (result < 22 || result == 23 && arg0 > 20) show arg0 first 100000"
        ' as "number"'
    ]
    compiling = [
        "-XX:-TieredCompilation",
        "-XX:CompileThreshold=50",
        "-Xbatch",
        "-XX:CompileCommand=compileonly,java.lang.ClasshookTracker::*",
    ]
    options = [CHECKED, "-Xverify:all", *compiling, "-cp", compiled("watch"), "Further", "10"]
    done = execute(run_line(rules, tmp_path / "data", [jvm.java, *options]))
    assert done.status == 0, done.stderr
    report = json.loads(execute([*classhook_command(), "report", "-f", "json", tmp_path / "data"]).stdout)
    found: dict[str, list[int]] = {}
    for row in report["calls"]:
        found.setdefault(row["name"], []).append(row["fields"]["at"])
    by_code = {text: found.get(str(i)) for i, text in enumerate(FURTHER)}
    assert by_code == {text: found.get(str(i)) for i, text in enumerate(FURTHER, len(FURTHER))}
    assert None not in by_code.values()
    assert {text: found.get(text.replace('"', "")) for text in results} == {text: by_code[text] for text in results}
    assert found["number"] == [20, 21, 23] * 10
    assert set(by_code["arg1.number == 10"] or ()) == {20}  # of a class that has the name of another one


#: Keys that the agent finds in all calls, also together with the thread.
KEYS = [
    "arg1.any",
    "arg1.state",
    "sql(arg1.text)",
    "arg1.itself.itself.constant",
    "arg1.number",
    "arg1.next.next.number",
    "arg1.objects",
]
#: By what is recorded: how many calls of 24 have a number, and their sum.
NUMBERS = {
    "arg1.s": (3, 900),
    "arg1.y": (2, 1),
    "arg1.itself.vl": (3, 21),
    "arg1.real": (1, 2.5),
    "arg1.narrow": (1, 1.5),
    "arg1.boxed": (1, 5),
    "arg1.c": (0, 0),
    "arg1.text.length": (8, 28),
    "arg2.list.size": (16, 26),
}


def test_keys_and_numbers_in_fields_of_objects(jvm: Jvm, compiled: Compiled, tmp_path: Path) -> None:
    times = 30
    rules = [f"count Further::see by {path}{more}" for path in KEYS for more in ("", ", thread")] + [
        f"value Further::see of {path}" for path in NUMBERS
    ]
    compiling = [
        "-XX:-TieredCompilation",
        "-XX:CompileThreshold=50",
        "-Xbatch",
        "-XX:CompileCommand=compileonly,java.lang.ClasshookTracker::*",
    ]
    line = run_line(
        rules, tmp_path / "data", [jvm.java, CHECKED, *compiling, "-cp", compiled("watch"), "Further", str(times)]
    )
    done = execute(line)
    assert done.status == 0, done.stderr
    report = json.loads(execute([*classhook_command(), "report", "-f", "json", tmp_path / "data"]).stdout)
    found: dict[str, dict[str, int]] = {}
    for row in report["keys"]:
        found.setdefault(row["by"], {})[row["key"].removesuffix(", main")] = row["calls"]
    for path in KEYS:
        assert sum(found[path].values()) == 24 * times
        assert found[path] == found[f"{path}, thread"]
    assert {row["of"]: (row["count"], row["sum"]) for row in report["values"]} == {
        of: (n * times, total * times) for of, (n, total) in NUMBERS.items()
    }
