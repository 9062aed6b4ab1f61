"""The commands, in the groups that `classhook --help` shows, and the commands within a command."""

from __future__ import annotations

from classhook.extensions import EXTENSIONS

#: Group -> command -> summary. Each command is a module of instrument/commands/, or of an extension's `commands`,
#: imported only when it is used.
GROUPS: dict[str, dict[str, str]] = {
    "measure": {
        "run": "run a command and instrument every JVM that it starts",
        "attach": "instrument a running JVM",
        "diagnose": "measure a running JVM for a while, and show what costs its endpoints",
        "detach": "stop measuring and restore the original classes",
        "check": "find mistakes in rules, and show what the rules match",
        "weave": "instrument jars, directories and classes ahead of time",
        "bundle": "put agent, rules and woven classes into one file, for machines without Python",
    },
    "read what was measured": {
        "report": "show what was counted, as tables and call trees",
        "coverage": "show which code ran; can fail a build if coverage is too low",
        "diff": "compare two sets of data; can fail a build if a number got worse",
        "gate": "keep a run's exact numbers in a file; fail a build if a later run needs more",
    },
    "running JVMs": {
        "ps": "list the JVMs that you can attach to",
        "top": "watch what running JVMs do",
        "ctl": "inspect and control a running JVM",
    },
    "builds and CI": {},
    "tools": {
        "rules": "list the stock rules; print, lay out and compile rules",
    },
}
for extension in EXTENSIONS:
    GROUPS.get(extension.group, {}).update(extension.commands)
GROUPS["tools"]["self"] = "check the installation; more commands about classhook itself"
#: Command of an extension -> its package.
PACKAGES = {command: f"extensions.{one.name}.commands" for one in EXTENSIONS for command in one.commands}
COMMANDS = {name: summary for commands in GROUPS.values() for name, summary in commands.items()}
#: Command -> its own commands, which are modules of the folder of its name.
WITHIN = {
    "self": {
        "doctor": "check whether Python, JDK and agent work, and say how to fix problems",
        "cache": "show and clear the cache of woven classes",
        "agent": "print the path of the agent library",
        "completion": "let the shell complete commands, options, rules and JVMs",
    }
}
#: The commands that other words may mean.
MEANT = {
    **{name: f"{command} {name}" for command, names in WITHIN.items() for name in names},
    **{name: f"rules --{name}" for name in ("compile", "format")},
}
