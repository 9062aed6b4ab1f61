"""Names of places with the stacks that led there, for the tables of monitors and of objects. Only reports import
this."""

from __future__ import annotations

from classhook.base.readable import Readable
from classhook.base.row_names import NamePart, RowName, type_part
from classhook.model.stacks import ARROW, OF_THE_JDK, Frame


def stack_name(
    class_name: str, name: str, descriptor: str, line: int, type_name: str, stack: str, detail: int, names: Readable
) -> RowName:
    """`type  method:line`; where that does not tell rows apart, its callers, too: one, two, or all."""
    *before, at = names.method(class_name, name, descriptor).parts
    callers = stack.split(ARROW)[1:]
    shown = callers if detail > 2 else callers[:detail]
    more = tuple(NamePart("", f" < {names.short(caller)}") for caller in shown)
    return RowName(
        (
            type_part(type_name)._replace(after="  "),
            *before,
            at._replace(after=at.after + (f":{line}" if line else "")),
            *more,
        )
    )


def own_frame(frames: list[str]) -> str:
    """The topmost one that is not the JDK's, where there mostly is nothing to be done about it; else the topmost
    one."""
    return next((frame for frame in frames if not frame.startswith(OF_THE_JDK)), frames[0])


def caller(stack: tuple[Frame, ...], names: Readable) -> str:
    """The caller for whom the JDK, or the JVM itself, acted, if they did."""
    frames = [frame.text() for frame in stack]
    others = frames[1:] if stack and not stack[0].cls else frames
    own = own_frame(others) if others else ""
    return f"  for {names.short(own)}" if own and own != frames[0] else ""
