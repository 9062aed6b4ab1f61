"""Other agents that rewrite a program's classes. They send nothing: exporters are off, or set to a closed port of this
machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests import peers
from tools.bench.common import peer


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent; `argument` and `options` may name {scratch}, a folder for its files."""

    title: str
    artifact: peers.Artifact
    argument: str = ""
    options: tuple[str, ...] = ()

    def words(self, scratch: Path) -> list[str]:
        """The JVM options that load it. Raises BenchError if it cannot be fetched."""
        agent = f"-javaagent:{peer(self.artifact)}" + (f"={self.argument}" if self.argument else "")
        return [word.replace("{scratch}", str(scratch)) for word in (agent, *self.options)]

    @property
    def version(self) -> str:
        return self.artifact.version


def properties(prefix: str, **values: str) -> tuple[str, ...]:
    """-D options from names such as `disable_send`; `trace__agent__url` stands for a name with dots."""
    return tuple(f"-D{prefix}.{name.replace('__', '.')}={value}" for name, value in values.items())


NOWHERE = "http://127.0.0.1:9"

AGENTS = {
    "opentelemetry": Agent(
        "OpenTelemetry",
        peers.OPENTELEMETRY,
        options=properties("otel", traces__exporter="none", metrics__exporter="none", logs__exporter="none"),
    ),
    "elastic": Agent(
        "Elastic APM",
        peers.ELASTIC,
        options=properties(
            "elastic.apm", disable_send="true", server_url=NOWHERE, central_config="false", cloud_provider="NONE"
        ),
    ),
    "datadog": Agent(
        "Datadog",
        peers.DATADOG,
        # on some JVMs it calls native code after a second, and the JVM's warning appears somewhere in the program's
        # output
        options=("--enable-native-access=ALL-UNNAMED",)
        + properties(
            "dd",
            trace__agent__url=NOWHERE,
            instrumentation__telemetry__enabled="false",
            remote_config__enabled="false",
            jmxfetch__enabled="false",
            profiling__enabled="false",
            crashtracking__enabled="false",
        ),
    ),
    "aspectj": Agent("AspectJ", peers.ASPECTJ),
    "jacoco": Agent("JaCoCo", peers.JACOCO, argument="destfile={scratch}/jacoco.exec"),
}
