"""The programs: what each consists of, and where its libraries come from."""

from __future__ import annotations

from dataclasses import dataclass

JERSEY, JERSEY_JAVAX = "4.0.2", "2.48"
JETTY, JETTY_JAVAX = "12.1.14", "9.4.58.v20250814"
TOMCAT, TOMCAT_JAVAX = "11.0.27", "9.0.124"
GRPC = "1.85.1"
SPRING, SPRING_KAFKA = "7.0.10", "4.1.2"
QUARTZ = "2.5.2"
#: The methods of a resource whose annotations are in an interface.
BY_INTERFACE = ("context app.Shop$Stock+::stock onward",)
QUIET = "org.slf4j:slf4j-nop:2.0.20"


@dataclass(frozen=True, slots=True)
class Program:
    """`folders` of java/, `libraries` as Maven's coordinates; `javax`: the sources name jakarta, and are compiled with
    javax; `framework`: classes whose times by context are added up; `rules`: what a user adds to the stock rule."""

    title: str
    folders: tuple[str, ...]
    libraries: tuple[str, ...]
    variants: tuple[str, ...]
    framework: str
    javax: bool = False
    rules: tuple[str, ...] = ()


def jersey(version: str) -> tuple[str, ...]:
    names = "containers:jersey-container-grizzly2-http", "containers:jersey-container-jdk-http", "inject:jersey-hk2"
    return tuple(f"org.glassfish.jersey.{name}:{version}" for name in names)


PROGRAMS = {
    "jersey": Program(
        f"Jersey {JERSEY}",
        ("jersey",),
        jersey(JERSEY),
        ("grizzly", "jdk", "virtual"),
        "org.glassfish.jersey.server.**::*",
        rules=BY_INTERFACE,
    ),
    "jersey-javax": Program(
        f"Jersey {JERSEY_JAVAX}",
        ("jersey",),
        jersey(JERSEY_JAVAX),
        ("grizzly", "jdk"),
        "org.glassfish.jersey.server.**::*",
        True,
        BY_INTERFACE,
    ),
    "tomcat": Program(
        f"Tomcat {TOMCAT}",
        ("servlets", "tomcat"),
        (f"org.apache.tomcat.embed:tomcat-embed-core:{TOMCAT}",),
        ("threads", "virtual"),
        "org.apache.catalina.**::*",
    ),
    "tomcat-javax": Program(
        f"Tomcat {TOMCAT_JAVAX}",
        ("servlets", "tomcat"),
        (f"org.apache.tomcat.embed:tomcat-embed-core:{TOMCAT_JAVAX}",),
        ("threads", "virtual"),
        "org.apache.catalina.**::*",
        True,
    ),
    "jetty": Program(
        f"Jetty {JETTY}",
        ("servlets", "jetty"),
        (f"org.eclipse.jetty.ee11:jetty-ee11-servlet:{JETTY}", QUIET),
        ("threads", "virtual"),
        "org.eclipse.jetty.**::*",
    ),
    "jetty-javax": Program(
        f"Jetty {JETTY_JAVAX}",
        ("servlets", "jetty9"),
        (f"org.eclipse.jetty:jetty-servlet:{JETTY_JAVAX}",),
        ("threads",),
        "org.eclipse.jetty.**::*",
        True,
    ),
    "grpc": Program(
        f"gRPC {GRPC}",
        ("grpc",),
        (f"io.grpc:grpc-netty-shaded:{GRPC}", f"io.grpc:grpc-stub:{GRPC}"),
        ("pool", "direct", "virtual"),
        "io.grpc.internal.**::*, io.grpc.stub.**::*",
    ),
    "jobs": Program(
        f"Spring {SPRING}, Quartz {QUARTZ}",
        ("jobs",),
        (f"org.springframework:spring-context:{SPRING}", f"org.quartz-scheduler:quartz:{QUARTZ}", QUIET),
        ("threads", "virtual"),
        "org.springframework.scheduling.**::*, org.quartz.core.**::*",
        rules=("context app.Jobs$Plain::run",),
    ),
    "kafka": Program(
        f"Spring Kafka {SPRING_KAFKA}",
        ("kafka",),
        (f"org.springframework.kafka:spring-kafka:{SPRING_KAFKA}", QUIET),
        ("threads", "virtual"),
        "org.springframework.kafka.listener.**::*",
    ),
}
