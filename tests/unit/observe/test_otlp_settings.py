"""OpenTelemetry's variables, as its own SDKs read them."""

from __future__ import annotations

import pytest

from classhook.base.errors import UsageError
from classhook.live.observe.otlp_http import Collector, rejected
from classhook.live.observe.otlp_settings import METRICS, PROFILES, ignored, settings

BASE = "OTEL_EXPORTER_OTLP"


def urls(endpoint: str = "", **environment: str) -> tuple[str, str]:
    found = settings(endpoint, {f"{BASE}_{name}": value for name, value in environment.items()}).targets
    return found[METRICS].url, found[PROFILES].url


def test_addresses() -> None:
    assert urls() == ("http://localhost:4318/v1/metrics", "http://localhost:4318/v1development/profiles")
    assert urls(ENDPOINT="https://c.example/base/") == (
        "https://c.example/base/v1/metrics",
        "https://c.example/base/v1development/profiles",
    )
    assert urls(ENDPOINT="http://a:1", METRICS_ENDPOINT="http://b:2/mine")[0] == "http://b:2/mine", (
        "that of a signal is taken as it is"
    )
    assert urls(ENDPOINT="http://a:1/base/?key=x")[0] == "http://a:1/base/v1/metrics?key=x"
    assert urls(METRICS_ENDPOINT="http://b:2/mine")[1] == "http://localhost:4318/v1development/profiles"
    assert (
        urls("http://given:3", ENDPOINT="http://a:1", METRICS_ENDPOINT="http://b:2", PROTOCOL="grpc")[0]
        == "http://given:3/v1/metrics"
    )


def test_headers_times_and_compression() -> None:
    environment = {
        f"{BASE}_HEADERS": "api-key=a%20b, x.y=1",
        f"{BASE}_METRICS_HEADERS": "Authorization=Basic%20eA==",
        f"{BASE}_TIMEOUT": "1500",
        f"{BASE}_COMPRESSION": "gzip",
        "OTEL_METRIC_EXPORT_INTERVAL": "15000",
    }
    found = settings("", environment)
    assert found.targets[METRICS].headers == {"Authorization": "Basic eA=="}
    assert found.targets[PROFILES].headers == {"api-key": "a b", "x.y": "1"}
    assert (found.targets[METRICS].timeout, found.targets[METRICS].gzip, found.interval) == (1.5, True, 15.0)
    usual = settings("", {})
    assert (usual.targets[METRICS].timeout, usual.targets[METRICS].gzip, usual.interval) == (10.0, False, 60.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (f"{BASE}_ENDPOINT", "localhost:4318"),
        (f"{BASE}_ENDPOINT", "http://"),
        (f"{BASE}_ENDPOINT", "http://a:99999"),
        (f"{BASE}_ENDPOINT", "http://a..b:4318"),
        (f"{BASE}_ENDPOINT", f"http://{'a' * 64}:4318"),
        (f"{BASE}_METRICS_ENDPOINT", "http://a/é"),
        (f"{BASE}_METRICS_ENDPOINT", "ftp://a"),
        (f"{BASE}_ENDPOINT", "http://user:secret@a"),
        (f"{BASE}_PROTOCOL", "grpc"),
        (f"{BASE}_HEADERS", "nothing"),
        (f"{BASE}_HEADERS", "a=b%0d%0ac: d"),
        (f"{BASE}_TIMEOUT", "10s"),
        (f"{BASE}_COMPRESSION", "zstd"),
        (f"{BASE}_CERTIFICATE", "/no/such.pem"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "0"),
    ],
)
def test_what_is_wrong_is_named(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=name.rpartition("_")[2]) as found:
        Collector(settings("", {name: value}), print)
    assert "secret" not in str(found.value)


def test_a_wish_that_is_not_met_is_named() -> None:
    assert "is delta, but metrics are sent as sums" in ignored(
        {"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "Delta"}
    )
    assert ignored({"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "cumulative"}) == ignored({}) == ""


def test_what_was_rejected_is_read() -> None:
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse as Response

    answer = Response()
    assert rejected(answer.SerializeToString()) == ""
    answer.partial_success.rejected_data_points = 300
    assert rejected(answer.SerializeToString()) == "300 were rejected"
    answer.partial_success.error_message = "too many \u00e9"
    assert rejected(answer.SerializeToString()) == "too many \u00e9"
    for damaged in (b"\x0a\xff", b"\xff\xff\xff", b"\x0b", b"\x0d\x00"):
        assert rejected(damaged) == ""
