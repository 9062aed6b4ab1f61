"""OpenTelemetry's profiles, read by the messages that the project's own package has."""

from __future__ import annotations

import io

import pytest
from opentelemetry.proto.collector.profiles.v1development.profiles_service_pb2 import ExportProfilesServiceRequest

from classhook.measures.profile.reader import SAMPLING
from classhook.model.call_tree import Sampling
from classhook.model.snapshot import Process, Snapshot
from classhook.reports import Options
from classhook.reports.forms import TABLES_AND_TREES

MAIN, WORK, OTHER = (
    ("shop.Main", "main", "([Ljava/lang/String;)V"),
    ("shop.Work", "lambda$f$0", "()V"),
    ("shop.Work", "\ud800", "()V"),
)


@pytest.fixture
def snapshot() -> Snapshot:
    found = Snapshot()
    found.processes.append(
        Process(4711, "25", "", "java -cp x shop.Main", 10**18, 5_000_000_000, "exit", "f", 0, 0, 0, 0)
    )
    found.class_sources["shop.Work"] = "Work.java"
    main = found.calls.child(MAIN)
    main.cpu, main.wall = 3, 2**40
    work = main.child(WORK)
    work.cpu, work.wall = 500, 0
    work.child(OTHER).wall = 7
    found.calls.child(WORK).cpu = 20
    return found


def message(snapshot: Snapshot, options: Options | None = None) -> ExportProfilesServiceRequest:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    TABLES_AND_TREES["otlp"].load().report(snapshot, options or Options(), out)
    return ExportProfilesServiceRequest.FromString(out.buffer.getvalue())  # type: ignore[attr-defined]


def samples(read: ExportProfilesServiceRequest) -> dict[str, dict[tuple[str, ...], int]]:
    """By what they are of: the values by stack, the innermost frame first, each as its names in the source and in the
    JVM, and its file."""
    tables, found = read.dictionary, {}
    (resource,) = read.resource_profiles
    (scope,) = resource.scope_profiles
    for profile in scope.profiles:
        of = found.setdefault(tables.string_table[profile.sample_type.type_strindex], {})
        for sample in profile.samples:
            path = []
            for index in tables.stack_table[sample.stack_index].location_indices:
                (line,) = tables.location_table[index].lines
                function = tables.function_table[line.function_index]
                names = (function.name_strindex, function.system_name_strindex, function.filename_strindex)
                path.append(" ".join(tables.string_table[name] for name in names))
            (value,) = sample.values
            of[tuple(path)] = value
    return found


def test_each_path_has_its_values(snapshot: Snapshot) -> None:
    main, other = "shop.Main.main shop.Main.main ", "shop.Work.\\ud800 shop.Work.\\ud800 Work.java"
    work = "lambda in shop.Work.f shop.Work.lambda$f$0 Work.java"
    snapshot.readable._made[WORK] = (0x1000, 0)  # type: ignore[index]
    assert samples(message(snapshot)) == {
        "cpu": {(main,): 3, (work, main): 500, (work,): 20},
        "wall": {(main,): 2**40, (other, work, main): 7},
    }


def test_exact_trees_have_calls(snapshot: Snapshot) -> None:
    snapshot.exact_tree.child(MAIN).calls = 12
    read = samples(message(snapshot, Options(measure="time")))
    assert read == {"calls": {("shop.Main.main shop.Main.main ",): 12}, "wall": {}}


def test_the_period_is_what_it_was_in_fact(snapshot: Snapshot) -> None:
    def periods(options: Options) -> set[tuple[str, str, int]]:
        read = message(snapshot, options)
        names = read.dictionary.string_table
        profiles = read.resource_profiles[0].scope_profiles[0].profiles
        return {
            (names[one.period_type.type_strindex], names[one.period_type.unit_strindex], one.period) for one in profiles
        }

    assert periods(Options()) == {("", "", 0)}, "it is not known"
    SAMPLING.set(snapshot.processes[0], Sampling(1_000_000, 5, 0, 0, 0, interval_ns=1_200_000))
    assert periods(Options()) == {("cpu", "nanoseconds", 1_200_000)}
    snapshot.exact_tree.child(MAIN).calls = 12
    assert periods(Options(measure="time")) == {("calls", "count", 1)}


def test_it_says_when_and_what_was_measured(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "OTEL_RESOURCE_ATTRIBUTES", "service.name=no,host.name=a%2Cb , deployment.environment.name=test,wrong"
    )
    monkeypatch.setenv("OTEL_SERVICE_NAME", "shop")
    read = message(snapshot)
    (resource,) = read.resource_profiles
    attributes = {one.key: one.value.string_value or one.value.int_value for one in resource.resource.attributes}
    assert len(attributes.pop("service.instance.id")) == 36  # type: ignore[arg-type]
    assert attributes == {
        "service.name": "shop",
        "host.name": "a,b",
        "deployment.environment.name": "test",
        "process.pid": 4711,
        "process.command_line": "java -cp x shop.Main",
        "process.runtime.version": "25",
    }
    profiles = resource.scope_profiles[0].profiles
    assert {(one.time_unix_nano, one.duration_nano) for one in profiles} == {(10**18, 5_000_000_000)}
    assert len({one.profile_id for one in profiles}) == len(profiles)
    assert [one.profile_id for one in message(snapshot).resource_profiles[0].scope_profiles[0].profiles] == [
        one.profile_id for one in profiles
    ]


def test_the_first_element_of_each_table_is_empty_and_frames_are_java(snapshot: Snapshot) -> None:
    tables = message(snapshot).dictionary
    for name in ("mapping_table", "location_table", "function_table", "link_table", "attribute_table", "stack_table"):
        assert getattr(tables, name)[0].SerializeToString() == b"", name
    assert tables.string_table[0] == ""
    for location in list(tables.location_table)[1:]:
        (index,) = location.attribute_indices
        attribute = tables.attribute_table[index]
        assert (tables.string_table[attribute.key_strindex], attribute.value.string_value) == (
            "profile.frame.type",
            "jvm",
        )
