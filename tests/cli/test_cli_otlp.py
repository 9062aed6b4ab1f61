"""Metrics and profiles for collectors of OpenTelemetry, read by the messages that the project's own package has."""

from __future__ import annotations

import gzip
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest as Metrics
from opentelemetry.proto.collector.profiles.v1development.profiles_service_pb2 import (
    ExportProfilesServiceRequest as Profiles,
)

from classhook.live.observe.otlp_push import Push
from classhook.live.observe.otlp_settings import settings
from tests.cli.conftest import Classhook
from tests.cli.tools import WORK_CALLS
from tests.conftest import ENVIRONMENT, PATIENCE, Compiled, FindJvm, classhook_command, report_of

MESSAGES = {"/v1/metrics": Metrics, "/v1development/profiles": Profiles}


class Collector(ThreadingHTTPServer):
    """Keeps what it receives. `answers`: the status by path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.received: list[tuple[str, Any, Any]] = []
        self.answers: dict[str, int] = {}
        self.some = threading.Semaphore(0)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def messages_of(self, kind: type[Any]) -> list[Any]:
        return [message for _, message, _ in self.received if isinstance(message, kind)]


class Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        status = self.server.answers.get(self.path, 200)
        if status == 200:
            self.server.received.append((self.path, MESSAGES[self.path].FromString(data), self.headers))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.server.some.release()

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def resource(message: Any) -> dict[str, Any]:
    return {one.key: one.value.string_value or one.value.int_value for one in message.resource.attributes}


def points(message: Metrics) -> dict[str, dict[str, Any]]:
    """By metric and method."""
    found: dict[str, dict[str, Any]] = {}
    for of in message.resource_metrics:
        for metric in of.scope_metrics[0].metrics:
            for point in getattr(metric, metric.WhichOneof("data")).data_points:
                attributes = {one.key: one.value.string_value for one in point.attributes}
                found.setdefault(metric.name, {})[attributes.get("code.function.name", "")] = point
    return found


def test_a_program_is_sent_while_it_runs_and_at_its_end(
    collector: Collector, compiled: Compiled, find_jvm: FindJvm, tmp_path: Path
) -> None:
    rules = ["-e", "time Steady::* tree", "-e", "alloc byte[] in Steady"]
    line = [
        *classhook_command(),
        "run",
        "--otlp",
        "--label",
        "team=mine",
        *rules,
        "-o",
        tmp_path / "data",
        "--",
        find_jvm(17).java,
        "-cp",
        compiled("Steady"),
        "Steady",
    ]
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
        "OTEL_METRIC_EXPORT_INTERVAL": "300",
        "OTEL_SERVICE_NAME": "steady",
        "OTEL_RESOURCE_ATTRIBUTES": "team=theirs,service.version=4.1",
    }
    process = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**ENVIRONMENT, **variables}
    )
    while len(collector.messages_of(Profiles)) < 3:
        assert collector.some.acquire(timeout=PATIENCE)
    _, said = process.communicate()
    assert (process.returncode, said.count(b"\n")) == (0, 1), said
    assert all(headers["api-key"] == "a b" for _, _, headers in collector.received)

    metrics = collector.messages_of(Metrics)
    calls = [points(one)["classhook.calls"]["Steady.step"].as_int for one in metrics]
    assert calls == sorted(calls)
    assert calls[-1] > calls[0] > 0
    report = report_of(tmp_path / "data")
    rows = {row["method"]: row for row in report["methods"]}
    last = points(metrics[-1])
    for method in ("step", "outer"):
        row, at = rows[method], f"Steady.{method}"
        assert last["classhook.calls"][at].as_int == row["calls"]
        assert last["classhook.self_time"][at].as_double == pytest.approx(row["self_ns"] / 1e9)
        histogram = last["classhook.duration"][at]
        assert histogram.count == sum(histogram.positive.bucket_counts) + histogram.zero_count == row["completed"]
        assert histogram.sum == pytest.approx(row["total_ns"] / 1e9, rel=0.1)
        assert histogram.max >= histogram.sum / histogram.count >= histogram.min
    assert sum(point.as_int for point in last["classhook.allocation.bytes"].values()) == sum(
        row["bytes"] for row in report["allocations"]
    )
    (of,) = metrics[-1].resource_metrics
    assert [resource(of)[name] for name in ("service.name", "service.version", "team")] == ["steady", "4.1", "mine"]
    assert resource(of)["process.pid"] == report["processes"][0]["pid"]
    assert len({resource(one.resource_metrics[0])["service.instance.id"] for one in metrics}) == 1

    # profiles follow each other without gap or overlap, and add up to the report
    profiles = [one.resource_profiles[0].scope_profiles[0].profiles for one in collector.messages_of(Profiles)]
    spans = [(both[0].time_unix_nano, both[0].time_unix_nano + both[0].duration_nano) for both in profiles]
    assert [begin for begin, _ in spans[1:]] == [end for _, end in spans[:-1]]
    assert sum(sum(sum(sample.values) for sample in both[0].samples) for both in profiles) == sum(
        row["calls"] for row in rows.values()
    )
    assert {both[0].period for both in profiles} == {1}


@pytest.mark.core
def test_report_sends_what_is_chosen_and_tells_what_is_refused(
    collector: Collector, classhook: Classhook, recorded: Path
) -> None:
    done = classhook("report", recorded, "--otlp=" + collector.url, "--filter", "p.Work::add")
    assert (done.status, done.out, done.err) == (0, "", f"classhook: 1 data file sent to {collector.url}/v1/metrics\n")
    (metrics,) = collector.messages_of(Metrics)
    assert points(metrics)["classhook.calls"].keys() == {"p.Work.add"}
    assert points(metrics)["classhook.calls"]["p.Work.add"].as_int == WORK_CALLS["p.Work::add"]
    collector.answers["/v1/metrics"] = 503
    done = classhook("report", recorded, f"--otlp={collector.url}")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert f"metrics to {collector.url}/v1/metrics: the answer is HTTP 503" in done.err
    collector.answers["/v1/metrics"] = 301
    done = classhook(
        "report",
        recorded,
        f"--otlp={collector.url}",
        env={"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "delta"},
    )
    assert (done.status, "the answer is HTTP 301" in done.err, "cumulativetodelta" in done.err) == (1, True, True)
    done = classhook("report", "--otlp", recorded)
    assert (done.status, "--otlp alone behind the data" in done.err) == (2, True)
    assert classhook("report", recorded, f"--otlp={collector.url}", "-f", "json").status == 2


def test_the_last_message_is_sent_again_to_a_collector_that_is_busy(collector: Collector, recorded: Path) -> None:
    collector.answers["/v1/metrics"] = 503
    said: list[str] = []
    push = Push(settings(collector.url, {}), lambda: recorded.glob("*.classhook"), {}, said.append)
    threading.Thread(
        target=lambda: (collector.some.acquire(timeout=PATIENCE), collector.answers.clear()), daemon=True
    ).start()
    push.finish()
    assert len(collector.messages_of(Metrics)) == len(said) == 1


def test_a_collector_that_is_not_there_is_told_of_once(
    classhook: Classhook, find_jvm: FindJvm, compiled: Compiled
) -> None:
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_METRIC_EXPORT_INTERVAL": "50"}
    rules = ("-e", "time Steady::* tree")
    done = classhook(
        "run", "--otlp", *rules, "--", find_jvm(17).java, "-cp", compiled("Steady"), "Steady", env=variables
    )
    assert done.status == 0
    assert done.err.count("/v1/metrics: Connection refused") == done.err.count("/v1/") == 1


def test_one_that_does_not_answer_is_waited_for_once(
    classhook: Classhook, recorded: Path, measured: list[Path]
) -> None:
    """However many files and messages there are."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        variables = {"OTEL_EXPORTER_OTLP_TIMEOUT": "200"}
        done = classhook(
            "report", recorded, *measured, f"--otlp=http://127.0.0.1:{silent.getsockname()[1]}", env=variables
        )
        silent.setblocking(False)
        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()
    assert done.status == 1
    assert re.fullmatch(r"classhook: metrics to http://127.0.0.1:\d+/v1/metrics: timed out\n", done.err), done.err


def test_the_limit_is_for_the_whole_answer(classhook: Classhook, recorded: Path) -> None:
    """A server that sends a line now and then exceeds the limit; one that does not speak HTTP is refused at once."""

    def trickle(one: socket.socket) -> None:
        with suppress(OSError):
            one.sendall(b"HTTP/1.1 200 OK\r\n")
            for i in range(600):
                one.sendall(b"X-%d: x\r\n" % i)
                time.sleep(0.1)

    def greet(one: socket.socket) -> None:
        one.recv(1 << 20)
        one.sendall(b"SSH-2.0-x\r\n")
        one.recv(1)

    said = {}
    for name, act in {"slow": trickle, "other": greet}.items():
        with socket.create_server(("127.0.0.1", 0)) as server:
            threading.Thread(target=lambda server=server, act=act: act(server.accept()[0]), daemon=True).start()
            address = f"--otlp=http://127.0.0.1:{server.getsockname()[1]}"
            done = classhook("report", recorded, address, env={"OTEL_EXPORTER_OTLP_TIMEOUT": "1000"})
            said[name] = (done.status, done.err.rpartition("/v1/metrics: ")[2])
    assert said == {"slow": (1, "timed out\n"), "other": (1, "the answer is not HTTP\n")}


def test_series_are_unique(classhook: Classhook, measured: list[Path], tmp_path: Path) -> None:
    """Rows of all kinds differ in their attributes, and times are not in two metrics of one name."""
    for data in measured:
        assert classhook("report", "-f", "otlp-metrics", "--all", data, "-o", tmp_path / "m").status == 0
        series, units = set(), dict[str, str]()
        for of in Metrics.FromString((tmp_path / "m").read_bytes()).resource_metrics:
            for metric in of.scope_metrics[0].metrics:
                assert units.setdefault(metric.name, metric.unit) == metric.unit
                for point in getattr(metric, metric.WhichOneof("data")).data_points:
                    one = (
                        of.resource.SerializeToString(),
                        metric.name,
                        frozenset(each.SerializeToString() for each in point.attributes),
                    )
                    assert one not in series, (metric.name, point.attributes)
                    series.add(one)
        assert series
