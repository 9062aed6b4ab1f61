"""State of the JDK and of libraries that tests leave behind in the JVM, and that is not followed to the tests that see
it. `select` says so where methods that ran in tests do it.

1. Calls: of methods of the JDK that set something for all code, and of static methods of libraries whose names say that
   they do; static fields of libraries that are set.
2. Texts: URLs of databases in memory, also in files beside the classes.
3. Annotations, by which a library keeps something from one test class to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from classhook.base.names import several
from classhook.extensions.selection.facts import ClassFacts
from classhook.extensions.selection.hierarchy import Hierarchy, MethodName
from classhook.extensions.selection.program import IN_MEMORY, Program
from classhook.extensions.selection.settings import PROPERTIES

Calls = frozenset[tuple[str, str]]


def _calls(owner: str, *names: str) -> Calls:
    return frozenset((owner, name) for name in names)


@dataclass(frozen=True, slots=True)
class Keeper:
    """`what` is kept by these `calls`, by classes with a text that begins in one of these ways, or with an annotation
    of one of these packages."""

    what: str
    calls: Calls = frozenset()
    texts: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()


KEEPERS = (
    Keeper(
        "system properties that libraries read",
        _calls("java/lang/System", "setProperty", "setProperties", "clearProperty"),
    ),
    Keeper("standard streams", _calls("java/lang/System", "setOut", "setErr", "setIn")),
    Keeper(
        "defaults of the JVM",
        _calls("java/util/Locale", "setDefault")
        | _calls("java/util/TimeZone", "setDefault")
        | _calls("java/lang/Thread", "setDefaultUncaughtExceptionHandler")
        | _calls("java/net/Authenticator", "setDefault")
        | _calls("java/net/CookieHandler", "setDefault")
        | _calls("java/net/ProxySelector", "setDefault")
        | _calls("java/net/URL", "setURLStreamHandlerFactory")
        | _calls("javax/net/ssl/HttpsURLConnection", "setDefaultSSLSocketFactory", "setDefaultHostnameVerifier")
        | _calls("javax/net/ssl/SSLContext", "setDefault")
        | _calls("java/net/HttpURLConnection", "setFollowRedirects")
        | _calls("java/net/ResponseCache", "setDefault")
        | _calls("java/io/ObjectInputFilter$Config", "setSerialFilter", "setSerialFilterFactory")
        | _calls("java/lang/System", "setSecurityManager")
        | _calls("javax/imageio/ImageIO", "setUseCache")
        | _calls("javax/swing/UIManager", "setLookAndFeel", "put"),
    ),
    Keeper("context class loaders of threads", _calls("java/lang/Thread", "setContextClassLoader")),
    Keeper(
        "levels and handlers of loggers",
        _calls(
            "java/util/logging/Logger", "setLevel", "addHandler", "removeHandler", "setFilter", "setUseParentHandlers"
        )
        | _calls("java/util/logging/LogManager", "readConfiguration", "updateConfiguration", "reset")
        | _calls("ch/qos/logback/classic/Logger", "setLevel", "addAppender", "detachAppender", "setAdditive")
        | _calls("org/apache/log4j/Category", "setLevel", "addAppender", "removeAppender", "setAdditivity")
        | _calls("org/apache/log4j/Logger", "setLevel", "addAppender", "removeAppender", "setAdditivity")
        | _calls("org/apache/logging/log4j/core/Logger", "setLevel", "addAppender", "removeAppender", "setAdditive"),
    ),
    Keeper(
        "preferences",
        _calls(
            "java/util/prefs/Preferences",
            "put",
            "putBoolean",
            "putInt",
            "putLong",
            "putDouble",
            "remove",
            "clear",
            "removeNode",
        ),
    ),
    Keeper(
        "drivers, providers and beans that are registered",
        _calls("java/sql/DriverManager", "registerDriver", "deregisterDriver")
        | _calls("java/security/Security", "addProvider", "insertProviderAt", "removeProvider", "setProperty")
        | _calls("javax/management/MBeanServer", "registerMBean", "unregisterMBean")
        | _calls("javax/naming/spi/NamingManager", "setInitialContextFactoryBuilder"),
    ),
    Keeper("databases in memory", texts=IN_MEMORY),
    Keeper("Spring's cache of contexts", annotations=("org.springframework.test.", "org.springframework.boot.test.")),
)
LIBRARIES = "what static methods of libraries set"
FIELDS = "static fields of libraries"
#: The prefixes of the names of such methods.
SETTING = ("set", "register", "add", "put", "install", "configure", "init", "enable", "disable")
#: Packages whose static methods are another matter: the JDK's, in the table above, and what keeps nothing for later.
NO_LIBRARIES = (
    *("java/", "javax/", "jdk/", "sun/", "kotlin/", "scala/", "groovy/"),
    *("org/junit/", "org/assertj/", "org/hamcrest/", "org/mockito/", "org/testng/"),
)


def kept(program: Program, ran: Iterable[MethodName]) -> list[str]:
    """The state that these methods leave behind, each with the method that does."""
    classes, hierarchy = program.classes, Hierarchy(program.classes)
    methods = sorted(name for name in ran if name[0] in classes and name[1] in classes[name[0]].methods)
    owners = sorted({owner for owner, _ in methods})
    found = []
    for keeper in KEEPERS:
        by = [_label(*name) for name in methods if not keeper.calls.isdisjoint(_called(classes, name))]
        by += [owner.replace("/", ".") for owner in owners if _says(classes[owner], keeper)]
        found += _sentence(keeper.what, by + (program.in_memory if keeper.texts == IN_MEMORY else []))
    found += _sentence(LIBRARIES, [_label(*name) for name in methods if _sets_in_libraries(classes, hierarchy, name)])
    return found + _sentence(FIELDS, [_label(*name) for name in methods if _sets_fields(classes, hierarchy, name)])


def _called(classes: dict[str, ClassFacts], name: MethodName) -> set[tuple[str, str]]:
    return {(owner, member.partition("(")[0]) for owner, member, _ in classes[name[0]].methods[name[1]].calls}


def _says(facts: ClassFacts, keeper: Keeper) -> bool:
    return any(text.startswith(keeper.texts) for text in facts.strings if keeper.texts) or any(
        name.startswith(keeper.annotations) for name in facts.annotations if keeper.annotations
    )


def _sets_in_libraries(classes: dict[str, ClassFacts], hierarchy: Hierarchy, name: MethodName) -> bool:
    """True if a method calls such a static method: neither a method of a superclass nor one without arguments or with a
    result."""
    above = {name[0], *hierarchy.above(name[0])}
    return any(
        not is_virtual
        and member.startswith(SETTING)
        and member.endswith(")V")
        and "()" not in member
        and owner not in above
        for owner, member, is_virtual in classes[name[0]].methods[name[1]].calls
        if owner not in classes and not owner.startswith(NO_LIBRARIES)
    )


def _sets_fields(classes: dict[str, ClassFacts], hierarchy: Hierarchy, name: MethodName) -> bool:
    """True if a method sets static fields that no class of the program declares."""
    written = classes[name[0]].methods[name[1]].writes - {PROPERTIES}
    return any(hierarchy.field_owner(owner, field) is None for owner, field in written)


def _label(owner: str, member: str) -> str:
    return f"{owner.replace('/', '.')}.{member.partition('(')[0]}"


def _sentence(what: str, by: list[str]) -> list[str]:
    by = list(dict.fromkeys(by))
    more = f" and {several(len(by) - 1, 'other')}" if len(by) > 1 else ""
    return [f"{what} ({by[0]}{more})"] if by else []
