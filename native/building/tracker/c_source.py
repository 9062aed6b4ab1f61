"""The tracker class as C source, for native/live/tracker_class.c."""

from __future__ import annotations

import re

from classhook.native.building.tracker.names import NAME
from classhook.native.building.tracker.whole import made, natives

#: Types of Java in C, by the first letter of a descriptor; all others are references.
C_TYPES = {"V": "void", "Z": "jboolean", "I": "jint", "J": "jlong", "D": "jdouble"}


def c_array(name: str, data: bytes) -> str:
    """C source of a constant array."""
    return f"static const unsigned char {name}[] = {{{','.join(map(str, data))}}};\n"


def natives_header() -> str:
    """Prototypes of the natives, so that the compiler compares their C definitions with the class."""
    lines = ["#include <jni.h>"]
    for name, descriptor in natives().items():
        arguments, result = descriptor[1:].split(")")
        types = [C_TYPES.get(letter[0], "jobject") for letter in re.findall(r"\[*(?:L[^;]+;|.)", arguments)]
        lines.append(
            f"JNIEXPORT {C_TYPES[result]} JNICALL"
            f" Java_{NAME.replace('/', '_')}_{name}({', '.join(['JNIEnv *', 'jclass', *types])});"
        )
    return "\n".join(lines) + "\n"


def c_header() -> str:
    """C source of all variants of the class, and of its natives without their addresses."""
    table = ", ".join(
        f'{{(char *)(uintptr_t)"{name}", (char *)(uintptr_t)"{descriptor}", NULL}}'
        for name, descriptor in natives().items()
    )
    classes = (
        c_array("tracker_plain", made(False))
        + c_array("tracker_carrier", made(True))
        + c_array("tracker_values", made(True, True))
    )
    return f"{classes}#define TRACKER_NATIVES {table}\n"
