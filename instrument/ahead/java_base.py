"""Tells which classes belong to java.base. The JVM loads those before the agent can define its tracker.

A class file names its package, but its module is known only from a module-info in the same input.
"""

from __future__ import annotations

NAME = "java.base"

#: The packages that `java --describe-module java.base` lists, in JDK 17, 21 and 25 to 28.
_PACKAGES = """
com.sun.crypto.provider com.sun.security.ntlm java.io java.lang java.lang.annotation java.lang.classfile
java.lang.classfile.attribute java.lang.classfile.constantpool java.lang.classfile.instruction java.lang.constant
java.lang.foreign java.lang.foreign.snippets java.lang.invoke java.lang.module java.lang.ref java.lang.reflect
java.lang.runtime java.math java.net java.net.spi java.nio java.nio.channels java.nio.channels.spi java.nio.charset
java.nio.charset.spi java.nio.file java.nio.file.attribute java.nio.file.spi java.security java.security.cert
java.security.interfaces java.security.spec java.text java.text.spi java.time java.time.chrono java.time.format
java.time.temporal java.time.zone java.util java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks
java.util.function java.util.jar java.util.random java.util.regex java.util.spi java.util.stream java.util.zip
javax.crypto javax.crypto.interfaces javax.crypto.spec javax.net javax.net.ssl javax.security.auth
javax.security.auth.callback javax.security.auth.login javax.security.auth.spi javax.security.auth.x500
javax.security.cert jdk.internal jdk.internal.access jdk.internal.access.foreign jdk.internal.classfile
jdk.internal.classfile.attribute jdk.internal.classfile.components jdk.internal.classfile.constantpool
jdk.internal.classfile.impl jdk.internal.classfile.impl.verifier jdk.internal.classfile.instruction
jdk.internal.constant jdk.internal.event jdk.internal.foreign jdk.internal.foreign.abi jdk.internal.foreign.abi.aarch64
jdk.internal.foreign.abi.aarch64.linux jdk.internal.foreign.abi.aarch64.macos jdk.internal.foreign.abi.aarch64.windows
jdk.internal.foreign.abi.fallback jdk.internal.foreign.abi.ppc64 jdk.internal.foreign.abi.ppc64.aix
jdk.internal.foreign.abi.ppc64.linux jdk.internal.foreign.abi.riscv64 jdk.internal.foreign.abi.riscv64.linux
jdk.internal.foreign.abi.s390 jdk.internal.foreign.abi.s390.linux jdk.internal.foreign.abi.x64
jdk.internal.foreign.abi.x64.sysv jdk.internal.foreign.abi.x64.windows jdk.internal.foreign.layout jdk.internal.icu.impl
jdk.internal.icu.impl.data.icudata jdk.internal.icu.impl.data.icudt67b jdk.internal.icu.impl.data.icudt72b
jdk.internal.icu.impl.data.icudt76b jdk.internal.icu.lang jdk.internal.icu.text jdk.internal.icu.util
jdk.internal.invoke jdk.internal.io jdk.internal.javac jdk.internal.jimage jdk.internal.jimage.decompressor
jdk.internal.jmod jdk.internal.jrtfs jdk.internal.lang jdk.internal.lang.stable jdk.internal.loader jdk.internal.logger
jdk.internal.math jdk.internal.misc jdk.internal.misc.resources jdk.internal.module jdk.internal.net.quic
jdk.internal.org.objectweb.asm jdk.internal.org.objectweb.asm.commons jdk.internal.org.objectweb.asm.signature
jdk.internal.org.objectweb.asm.tree jdk.internal.org.objectweb.asm.tree.analysis jdk.internal.org.objectweb.asm.util
jdk.internal.org.xml.sax jdk.internal.org.xml.sax.helpers jdk.internal.perf jdk.internal.platform
jdk.internal.platform.cgroupv1 jdk.internal.platform.cgroupv2 jdk.internal.random jdk.internal.ref jdk.internal.reflect
jdk.internal.util jdk.internal.util.jar jdk.internal.util.random jdk.internal.util.regex jdk.internal.util.xml
jdk.internal.util.xml.impl jdk.internal.value jdk.internal.vm jdk.internal.vm.annotation jdk.internal.vm.vector
sun.invoke sun.invoke.empty sun.invoke.util sun.launcher sun.launcher.resources sun.net sun.net.dns sun.net.ext
sun.net.ftp sun.net.ftp.impl sun.net.idn sun.net.sdp sun.net.smtp sun.net.spi sun.net.util sun.net.www
sun.net.www.content.text sun.net.www.http sun.net.www.protocol.file sun.net.www.protocol.ftp sun.net.www.protocol.http
sun.net.www.protocol.http.ntlm sun.net.www.protocol.https sun.net.www.protocol.jar sun.net.www.protocol.jmod
sun.net.www.protocol.jrt sun.net.www.protocol.mailto sun.nio sun.nio.ch sun.nio.cs sun.nio.fs sun.reflect.annotation
sun.reflect.generics.factory sun.reflect.generics.parser sun.reflect.generics.reflectiveObjects
sun.reflect.generics.repository sun.reflect.generics.scope sun.reflect.generics.tree sun.reflect.generics.visitor
sun.reflect.misc sun.security.action sun.security.ec sun.security.ec.ed sun.security.ec.point sun.security.internal
sun.security.internal.interfaces sun.security.internal.spec sun.security.jca sun.security.pkcs sun.security.pkcs10
sun.security.pkcs12 sun.security.provider sun.security.provider.certpath sun.security.provider.certpath.ssl
sun.security.rsa sun.security.ssl sun.security.timestamp sun.security.tools sun.security.tools.keytool
sun.security.tools.keytool.resources sun.security.util sun.security.util.math sun.security.util.math.intpoly
sun.security.util.resources sun.security.validator sun.security.x509 sun.text sun.text.resources sun.text.resources.cldr
sun.text.spi sun.util sun.util.calendar sun.util.cldr sun.util.locale sun.util.locale.provider sun.util.logging
sun.util.resources sun.util.resources.cldr sun.util.spi
"""
PACKAGES = frozenset(_PACKAGES.split())


def belongs(class_name: str, module: str) -> bool:
    """True if a class (its dotted name) belongs to java.base; `module`: that of its input, or empty if unknown."""
    return module == NAME if module else class_name.rpartition(".")[0] in PACKAGES
