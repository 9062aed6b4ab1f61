"""Calls of libraries after which any method of the program may run: by reflection, or because the library finds the
program's classes by their names."""

from __future__ import annotations

from functools import cache

from classhook.extensions.selection.effects.library import ONLY_LOOK

#: Methods of the JDK, by class: the beginnings of their names. `Class.getName` and the like call none of the program's.
CALLING = {
    "java/lang/reflect/Method": ("invoke",),
    "java/lang/reflect/Constructor": ("newInstance",),
    "java/lang/reflect/Proxy": ("newProxyInstance",),
    "java/lang/Class": ("newInstance", "forName", "getEnumConstants", "getResource"),
    "java/lang/reflect/InvocationHandler": ("invokeDefault",),
    "java/lang/invoke/MethodHandle": ("invoke",),
    "java/lang/invoke/MethodHandleProxies": ("",),
    "java/lang/ClassLoader": ("",),
    "java/util/ServiceLoader": ("",),
    "java/util/ResourceBundle": ("getBundle",),
    "java/io/ObjectInputStream": ("read", "defaultRead"),
    "java/io/ObjectOutputStream": ("write", "defaultWrite"),
    "java/beans/Introspector": ("",),
    **dict.fromkeys((f"java/beans/{one}" for one in ("Expression", "Statement", "EventHandler")), ("",)),
    **dict.fromkeys((f"java/beans/XML{one}" for one in ("Encoder", "Decoder")), ("",)),
    **dict.fromkeys((f"javax/management/MBeanServer{one}" for one in ("", "Connection")), ("",)),
    "javax/management/JMX": ("",),
}
#: Other libraries may call what they are passed.
PASSED = ("Ljava/lang/reflect/Method;", "Ljava/lang/reflect/Constructor;", "Ljava/lang/Class;")
#: The beginnings of the names of libraries that are passed classes, and call none of their methods.
ONLY_NAME = ("org/apache/commons/logging/", "org/apache/log4j/", "org/apache/logging/", "org/mockito/")


@cache
def calls_any(owner: str, member: str) -> bool:
    """True if a call of a library's method may call any method. `member`: its name and descriptor."""
    if owner in CALLING or owner.startswith("java/"):
        return member.startswith(CALLING.get(owner, ()))
    arguments = member.partition("(")[2].partition(")")[0]
    return any(one in arguments for one in PASSED) and not owner.startswith((*ONLY_LOOK, *ONLY_NAME))
