"""The option --otlp of `run` and `report`: metrics and profiles for a collector of OpenTelemetry."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from classhook.base.errors import UsageError
from classhook.base.names import several
from classhook.base.terminal import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.live.observe.otlp_push import Push
    from classhook.model.snapshot import Snapshot
    from classhook.reports.selection import Selection


def add_otlp(parser: argparse._ActionsContainer, where: str) -> None:
    """`where`: the option may stand if a word follows that is no address, in words."""

    def address(text: str) -> str:
        if text and "://" not in text:  # empty: no address was given
            raise argparse.ArgumentTypeError(
                f"{text!r} is not an address; write --otlp=http://localhost:4318, or --otlp alone {where}"
            )
        return text

    parser.add_argument(
        "--otlp",
        metavar="URL",
        nargs="?",
        const="",
        type=address,
        help=(
            "send metrics and profiles to this collector of OpenTelemetry, by HTTP; without URL, to the one that"
            " OTEL_EXPORTER_OTLP_ENDPOINT names, or http://localhost:4318"
        ),
    )


def collector(
    args: argparse.Namespace,
    files: Callable[[], Iterable[Path]],
    said: Mapping[str, str],
    choose: Callable[[Snapshot], None] | None = None,
) -> Push | None:
    """The sender of the data in these files, if asked for. `said`: variables that describe the service where its labels
    do not; `choose`: selects the part of a snapshot to send. Raises UsageError."""
    if args.otlp is None:
        return None
    from classhook.live.observe.otlp_push import Push
    from classhook.live.observe.otlp_settings import ignored, settings

    if ignored(os.environ):
        say(ignored(os.environ))
    return Push(settings(args.otlp, os.environ), files, said, say, *([choose] if choose else []))


def send(args: argparse.Namespace, paths: Sequence[Path], chosen: Selection) -> int:
    """Sends the data that `report` is given, with --watch again and again while a JVM runs; the exit status."""
    from classhook.api.reading import find_data
    from classhook.base.run_labels import pairs
    from classhook.commands.output import repeated
    from classhook.live.observe.otlp_settings import METRICS

    if args.format != "text" or args.output:
        raise UsageError("--otlp sends the data, and writes no report: leave out -f and -o")
    labels = pairs(args.label)
    files = find_data(paths, labels)[0]
    push = collector(args, lambda: find_data(paths, labels)[0], os.environ, chosen.apply)
    assert push is not None

    def once() -> int:
        push.push()
        return 1 if push.collector.failed else 0

    if args.watch:
        return repeated(args, paths, once)
    status = once()
    if not status:
        say(f"{several(len(files), 'data file')} sent to {push.collector.targets[METRICS].url}")
    return status
