"""The members of the JDK that the agent asks for, as C source for native/base/jdk_members.c."""

from __future__ import annotations

from classhook.native.jdk_members.asked_by_agent import ASKED_BY_AGENT
from classhook.native.jdk_releases import OLDEST


def header() -> str:
    """C source: an enum of the members that C asks for, and their forms."""
    symbols = "".join(f"    CH_JDK_{member.symbol},\n" for member in ASKED_BY_AGENT)
    rows = []
    for member in ASKED_BY_AGENT:
        forms = "".join(
            f'{{"{form.owner.replace("/", ".")}", "{form.name}", "{form.descriptor}", {form.first}, {form.last}}}, '
            for form in member.forms
        )
        rows.append(f'    {{{str(member.static).lower()}, "{member.without}", {{{forms}}}}}, \\\n')
    most = max(len(member.forms) for member in ASKED_BY_AGENT)
    oldest = f"enum {{ CH_JDK_OLDEST = {OLDEST} }};\n"
    return (
        f"{oldest}enum ch_jdk {{\n{symbols}}};\n#define CH_JDK_FORMS {most}\n#define CH_JDK_ROWS \\\n{''.join(rows)}\n"
    )
