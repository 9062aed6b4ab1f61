"""Types whose objects never change."""

from __future__ import annotations

UNCHANGING = frozenset(
    f"L{name};"
    for name in (
        *(
            f"java/lang/{one}"
            for one in (
                "String",
                "Boolean",
                "Byte",
                "Character",
                "Short",
                "Integer",
                "Long",
                "Float",
                "Double",
                "Class",
            )
        ),
        *(
            "java/math/BigInteger",
            "java/math/BigDecimal",
            "java/util/regex/Pattern",
            "java/util/Locale",
            "java/util/UUID",
            "java/util/Currency",
            "java/util/OptionalDouble",
            "java/util/OptionalLong",
            "java/net/URI",
            "java/net/URL",
            "java/io/File",
            "java/nio/file/Path",
            "java/lang/StackTraceElement",
            "java/lang/Void",
        ),
        *("java/nio/charset/Charset", "java/math/MathContext", "java/util/OptionalInt"),
    )
) | frozenset("ZBCSIJFD")
TIME = "Ljava/time/"
#: Types of java.time whose objects may change, such as interfaces that other classes implement.
CHANGING_TIME = frozenset(
    f"Ljava/time/{one};"
    for one in (
        *("Clock", "InstantSource", "format/DateTimeFormatterBuilder", "temporal/Temporal"),
        *("temporal/TemporalAccessor", "temporal/TemporalAmount", "temporal/TemporalField", "temporal/TemporalUnit"),
        *("temporal/TemporalAdjuster", "temporal/TemporalQuery", "zone/ZoneRulesProvider"),
    )
)
RECORD = "java/lang/Record"
PLAIN = (
    "java/lang/Object",
    "java/lang/Enum",
    RECORD,
    "java/lang/Comparable",
    "java/io/Serializable",
)  # types without fields that change


def is_fixed(descriptor: str) -> bool:
    """True if objects of a type never change, nor what they refer to."""
    return descriptor in UNCHANGING or (descriptor.startswith(TIME) and descriptor not in CHANGING_TIME)
