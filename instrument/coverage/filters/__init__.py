"""The filters: code that compilers and generators add to a program, and that does not count.

`FILTERS` lists them in the order in which they are asked; each sees the whole method. `filters_for` chooses those of a
class.
"""

from __future__ import annotations

from classhook.coverage.filters import (
    coroutines,
    kotlin,
    kotlin_code,
    kotlin_libraries,
    methods,
    resources,
    statements,
    strings,
    switches,
)
from classhook.coverage.filters.base import EVERY, JAVA, KOTLIN, Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.coverage.class_info import ClassInfo

__all__ = ["FILTERS", "Filter", "filters_for"]

COMPOSABLE: Final = b"Landroidx/compose/runtime/Composable;"
HASH: Final = b"hashCode"
SUSPENDED: Final = b"getCOROUTINE_SUSPENDED"
FILTERS: Final = (
    Filter("a synthetic class", methods.synthetic_class),
    Filter("values() and valueOf() of enums", methods.enum_methods),
    Filter("a bridge method", methods.bridge),
    Filter("the handler of synchronized", statements.synchronized),
    Filter("try with resources: javac from 11 on", resources.javac_11),
    Filter("try with resources: javac 7 to 10", resources.javac_7),
    Filter("try with resources: ecj", resources.ecj),
    Filter("copies of finally", statements.finally_blocks),
    Filter("an empty private constructor", methods.private_constructor),
    Filter("assert", statements.assertion, needs=(b"$assertionsDisabled",)),
    Filter("switch over strings: javac", strings.javac),
    Filter("switch over strings: ecj; when: kotlinc from 1.5 on", strings.single_switch, needs=(HASH,)),
    Filter("an empty constructor of an enum", methods.enum_constructor),
    Filter("methods of records", methods.record_methods),
    Filter("a switch over all values", switches.exhaustive),
    Filter("record patterns", switches.record_patterns),
    Filter("@...Generated...", methods.generated, needs=(b"Generated",)),
    Filter("a synthetic method", methods.synthetic_method, JAVA),
    Filter("code without lines", kotlin.no_lines, KOTLIN),
    Filter("accessors of private members", kotlin.accessors, KOTLIN),
    Filter("kotlinx.serialization", kotlin_libraries.serializable, KOTLIN, (b"kotlinx/serialization/",)),
    Filter("entries of enums", kotlin.enum_entries, KOTLIN, (b"getEntries",)),
    Filter("@JvmOverloads", kotlin.jvm_overloads, KOTLIN, (b"$default", kotlin.MARKER)),
    Filter("@JvmStatic", kotlin.jvm_static, KOTLIN, (b"Lkotlin/jvm/JvmStatic;",)),
    Filter("?.", kotlin_code.safe_calls, KOTLIN),
    Filter("lateinit", kotlin_code.lateinit, KOTLIN, (b"throwUninitializedPropertyAccessException",)),
    Filter("when over all values", switches.when, KOTLIN, (b"kotlin/NoWhenBranchMatchedException", b"$WhenMappings")),
    Filter("when over strings: kotlinc before 1.5", strings.old_when, KOTLIN, (HASH,)),
    Filter("as", kotlin_code.unsafe_cast, KOTLIN, (b"null cannot be cast to non-null type",)),
    Filter("!!", kotlin_code.not_null, KOTLIN, (b"throwNpe",)),
    Filter("value classes", kotlin.value_class, KOTLIN, (b"Lkotlin/jvm/JvmInline;",)),
    Filter("@JvmExposeBoxed", kotlin.expose_boxed, KOTLIN, (b"Lkotlin/jvm/JvmExposeBoxed;",)),
    Filter("default arguments", kotlin.default_arguments, KOTLIN, (b"$default", kotlin.MARKER)),
    Filter("inlined code", kotlin.inlined, KOTLIN),
    Filter("suspend functions", coroutines.suspend, KOTLIN, (SUSPENDED,)),
    Filter("default methods of interfaces", kotlin.default_impls, KOTLIN, (b"$DefaultImpls",)),
    Filter("@Composable", kotlin_libraries.compose, KOTLIN, (COMPOSABLE,)),
)
# In place of those of the same name, and further ones, where JaCoCo counts branches that cannot be reached.
STRICT: Final = {
    one.about: one
    for one in (
        Filter("copies of finally", statements.finally_strict),
        Filter("record patterns", switches.record_patterns_strict),
    )
}
STRICT_FILTERS: Final = (
    *(STRICT.get(one.about, one) for one in FILTERS),
    Filter("a switch over all constants", switches.all_constants),
    Filter("conditions that are constants", switches.constant_conditions, JAVA),
)


def filters_for(cls: ClassInfo, strict: bool = False) -> list[Filter]:
    """The filters that may have something to do in a class; `strict`: also those that JaCoCo does not have."""
    pool = cls.pool.data[cls.pool.at : cls.pool.end_at]
    classes = (EVERY, KOTLIN if cls.is_kotlin else JAVA)
    found: list[Filter] = []
    for one in STRICT_FILTERS if strict else FILTERS:
        if one.classes in classes and (not one.needs or any([text in pool for text in one.needs])):
            found.append(one)
    return found
