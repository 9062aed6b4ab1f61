"""Verdicts as SARIF 2.1.0, which code hosts and editors show at the lines. A result is known again by the method and
its body."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TextIO
from urllib.parse import quote

from classhook.base.names import several
from classhook.extensions.fleet.dead.rows import last_used, name
from classhook.extensions.fleet.dead.verdicts import GROUPS, NORMAL, Verdict, Verdicts
from classhook.reports import Options

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(found: Verdicts, groups: Sequence[str], options: Options, out: TextIO) -> None:
    shown = [group for group in groups if group != NORMAL]
    rules = [
        {"id": group, "name": GROUPS[group].title, "shortDescription": {"text": GROUPS[group].about}} for group in shown
    ]
    content = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "classhook dead", "rules": rules}},
                "results": [_result(one, shown.index(one.group)) for group in shown for one in found.in_group(group)],
                "columnKind": "utf16CodeUnits",
            }
        ],
    }
    json.dump(content, out, indent=1, ensure_ascii=False)
    out.write("\n")


def _result(one: Verdict, rule: int) -> dict[str, Any]:
    production = one.production
    hosts = f" on {several(len(production.hosts), 'host')}" if production.hosts else ""
    said = (
        f"last call: {last_used(one)}; observed in {several(production.runs, 'run')}{hosts} in"
        f" {several(production.days, 'day')}"
    )
    found: dict[str, Any] = {
        "ruleId": one.group,
        "ruleIndex": rule,
        "level": "note",
        "message": {"text": f"{name(one)}: {GROUPS[one.group].about} ({said})"},
        "partialFingerprints": {"method/v1": f"{one.key[0]}.{one.key[1]}{one.key[2]} {one.about.body or ''}".strip()},
    }
    if one.file:
        region = {"region": {"startLine": one.about.line}} if one.about.line else {}
        found["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": quote(one.path)}, **region}}]
    return found
