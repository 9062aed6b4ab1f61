"""Finds classes that may have methods that their language gives another class, or none: companions, objects, functions
of files and of namespaces.

By the class's name alone; what the class file says decides later (rules/languages/written.py). Imported inside the JVM,
so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from classhook.rules.syntax import Target

#: Behind the name of the class: Kotlin's companions and bodies in interfaces, Groovy's traits, Scala's objects.
ENDS = ("$Companion", "$DefaultImpls", "$Trait$Helper", "$")
#: Behind a package: Kotlin's functions of a file, Scala's without a class.
OF_PACKAGES = (".*Kt", ".*$package$", ".*$package")
FACADE = "Kt"


def may_be_renamed(class_name: str) -> bool:
    """True if the methods may be those of another class or none; a quick look."""
    return "$" in class_name or class_name.endswith(FACADE)


def owners(class_name: str) -> list[str]:
    """The names by which users may call the class, or the package or namespace, that its methods belong to."""
    found = [class_name[: -len(end)] for end in ENDS if class_name.endswith(end)]
    if class_name.endswith((FACADE, "$package$", "$package")):
        found.append(class_name.rpartition(".")[0])
    namespace, function, _ = class_name.partition("$")
    if function:
        found += [namespace, namespace.replace("_", "-")]
    return found


def is_named(target: Target) -> bool:
    """True if a target may name methods as they are written: one of the JDK's, a class alone, and lines are as in the
    JVM."""
    return (
        target.method is not None
        and target.lines is None
        and not target.class_pattern.jdk
        and target.class_pattern.glob != "**"
    )


def other_globs(target: Target) -> list[str]:
    """The globs of these classes, as far as the class pattern itself does not match their names."""
    if target.method is None or not is_named(target):
        return []
    glob, method = target.class_pattern.glob, target.method.glob
    found = [] if glob.endswith("*") else [glob + end for end in ENDS]
    found += [] if glob.endswith("**") else [glob + end for end in OF_PACKAGES]
    namespace = glob.replace("-", "_")
    if namespace != glob or not glob.endswith("*"):
        from classhook.rules.languages.clojure import munged

        found.append(f"{namespace}${munged(method, kept='*')}")
    return found
