"""Calls in the JDK's own classes, and in libraries with queues of their own, by which tasks and new threads run in the
context of the code that submitted them.

    submitted    where a task or a thread is handed over: the object is marked with the context of this thread
                 (native/contexts/tasks.c); a constructor marks its object where it returns. So is a task that a thread
                 runs itself, at once: one without a mark is submitted outside of contexts
    around       a method that runs a task, or goes on with what waited: beginTask at its entry, endContext where it
                 ends
    loop         a method that runs one task after another: nextTask before the call that runs one, noTask before the
                 call that waits for the next

Methods that a release does not have are left out; so are all of them without a rule `context`.
native/classes/eligible_classes.c has the names, too.
"""

from __future__ import annotations

from classhook.classfile.code import Code
from classhook.classfile.insertions import BEFORE, Edit, Insertion
from classhook.classfile.opcodes import ALOAD_0_CODE, DUP_CODE, INVOKEINTERFACE, INVOKEVIRTUAL
from classhook.classfile.splice import Context, splice
from classhook.probes.exits import insert_ending
from classhook.probes.method_weaver import ClassConstants, MethodWeaver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from classhook.classfile.reader import ClassFile, Method

ALOAD_1_CODE: Final = b"\x2b"
ALOAD_2_CODE: Final = b"\x2c"
THIS, FIRST, SECOND = ALOAD_0_CODE, ALOAD_1_CODE, ALOAD_2_CODE
STATIC_FIRST = ALOAD_0_CODE

#: Class -> method -> what pushes the object that is handed over.
SUBMITTED: Final = {
    "java.lang.Thread": {"start": THIS},
    "java.lang.VirtualThread": {"start": THIS},
    "java.util.concurrent.ThreadPoolExecutor": {"execute": FIRST},
    "java.util.concurrent.ScheduledThreadPoolExecutor": {"delayedExecute": FIRST},
    "java.util.concurrent.ForkJoinTask": {"fork": THIS},
    "java.util.concurrent.ForkJoinPool": {
        "externalPush": FIRST,
        "externalSubmit": FIRST,
        "poolSubmit": SECOND,
        "scheduleDelayedTask": FIRST,
    },
    "java.util.Timer": {"sched": FIRST},
    "io.netty.util.concurrent.SingleThreadEventExecutor": {"addTask": FIRST},
    "io.netty.util.concurrent.ScheduledFutureTask": {"<init>": THIS},
    "reactor.netty.channel.FluxReceive": {"subscribe": THIS},
    "reactor.netty.http.client.HttpClientConnect$HttpObserver": {"<init>": THIS},
    "reactor.netty.http.client.HttpClientConnect$HttpIOHandlerObserver": {"<init>": THIS},
    "reactor.netty.http.client.HttpClientConnect$MonoHttpConnect$ClientTransportSubscriber": {"<init>": THIS},
    "kotlinx.coroutines.scheduling.CoroutineScheduler": {"dispatch": FIRST},
    "kotlinx.coroutines.EventLoopImplBase": {"enqueue": FIRST},
    "kotlinx.coroutines.EventLoopImplBase$DelayedTask": {"<init>": THIS},
    "org.apache.tomcat.util.threads.ThreadPoolExecutor": {"execute": FIRST},
    "org.apache.catalina.core.AsyncContextImpl": {"setStarted": THIS},
    "org.eclipse.jetty.util.thread.QueuedThreadPool": {"execute": FIRST, "tryExecute": FIRST},
    "org.glassfish.grizzly.threadpool.FixedThreadPool": {"execute": FIRST},
    "org.glassfish.grizzly.threadpool.SyncThreadPool": {"execute": FIRST},
    "io.grpc.stub.ServerCalls$StreamingServerCallHandler$StreamingServerCallListener": {"<init>": THIS},
}
#: Class -> method -> what pushes the task that it runs.
AROUND: Final = {
    "java.util.concurrent.ForkJoinTask": {"doExec": THIS},
    "java.lang.VirtualThread": {"run": THIS},
    "io.netty.util.concurrent.AbstractEventExecutor": {"safeExecute": STATIC_FIRST, "runTask": STATIC_FIRST},
    "reactor.netty.channel.FluxReceive": {"onInboundNext": THIS, "onInboundComplete": THIS, "onInboundError": THIS},
    "reactor.netty.http.client.HttpClientConnect$HttpObserver": {"onStateChange": THIS, "onUncaughtException": THIS},
    "reactor.netty.http.client.HttpClientConnect$HttpIOHandlerObserver": {"onStateChange": THIS},
    "reactor.netty.http.client.HttpClientConnect$MonoHttpConnect$ClientTransportSubscriber": {"onError": THIS},
    "kotlinx.coroutines.DispatchedTask": {"run": THIS},
    "kotlinx.coroutines.EventLoopImplBase$DelayedResumeTask": {"run": THIS},
    "kotlinx.coroutines.EventLoopImplBase$DelayedRunnableTask": {"run": THIS},
    "org.apache.catalina.core.AsyncContextImpl": {"doInternalDispatch": THIS},
    "org.eclipse.jetty.util.thread.QueuedThreadPool": {"runJob": FIRST},
    "org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy": {"runTask": FIRST},
    "org.eclipse.jetty.util.thread.strategy.EatWhatYouKill": {"runTask": FIRST, "invokeTask": FIRST},
    "io.grpc.stub.ServerCalls$StreamingServerCallHandler$StreamingServerCallListener": dict.fromkeys(
        ("onMessage", "onHalfClose", "onCancel", "onReady", "onComplete"), THIS
    ),
}
#: Class -> the method with the loop, the method that runs a task, and the one that waits for the next.
LOOPS: Final = {
    "java.util.concurrent.ThreadPoolExecutor": ("runWorker", "run", "getTask"),
    "java.util.TimerThread": ("mainLoop", "run", ""),
    "org.apache.tomcat.util.threads.ThreadPoolExecutor": ("runWorker", "run", "getTask"),
    "org.glassfish.grizzly.threadpool.AbstractThreadPool$Worker": ("doWork", "run", "getTask"),
}
#: Class -> methods that run a task on the thread that calls them, and the method by which they do.
AT_ONCE: Final = {"java.util.concurrent.ForkJoinTask": (("invoke", "invokeAll", "quietlyInvoke"), "doExec")}
CLASSES: Final = frozenset([*SUBMITTED, *AROUND, *LOOPS])


def weave(cf: ClassFile, name: str, constants: ClassConstants, replaced: dict[int, bytes]) -> None:
    """Adds the calls to a class of CLASSES; `replaced`: the woven methods, by where their code is."""
    submitted, around, loop = SUBMITTED.get(name, {}), AROUND.get(name, {}), LOOPS.get(name, ("", "", ""))
    at_once, executes = AT_ONCE.get(name, ((), ""))
    for method in cf.methods:
        if not method.code_at:
            continue
        if method.name in submitted:
            pushed = submitted[method.name]
            if pushed != THIS and not (method.descriptor.startswith("(L") or pushed == SECOND):
                continue
            call = pushed + constants.call("submitted", b"(Ljava/lang/Object;)V")
            if method.name == "<init>":
                at = [Insertion(pc, call, BEFORE, stack=1) for pc in _code(cf, method, replaced).scan().returns]
            else:
                at = [Insertion(0, call, stack=1)]
            _insert(cf, method, constants, replaced, at)
        if method.name in around and (
            name != "java.lang.VirtualThread" or method.descriptor == "(Ljava/lang/Runnable;)V"
        ):
            _surround(cf, method, around[method.name], constants, replaced)
        if method.name in at_once:
            call = DUP_CODE + constants.call("submitted", b"(Ljava/lang/Object;)V")
            calls = _calls(cf, _code(cf, method, replaced))
            _insert(
                cf,
                method,
                constants,
                replaced,
                [Insertion(pc, call, BEFORE, stack=1) for pc, target in calls if target == executes],
            )
        if method.name == loop[0]:
            code = _code(cf, method, replaced)
            found = []
            for pc, target in _calls(cf, code):
                if target == loop[1]:
                    found.append(
                        Insertion(
                            pc,
                            DUP_CODE + constants.call("nextTask", b"(Ljava/lang/Object;)V"),
                            BEFORE,
                            guarded=True,
                            stack=1,
                        )
                    )
                elif target == loop[2]:
                    found.append(Insertion(pc, constants.call("noTask", b"()V"), BEFORE, guarded=True, stack=1))
            _insert(cf, method, constants, replaced, found)


def _code(cf: ClassFile, method: Method, replaced: dict[int, bytes]) -> Code:
    at, data = method.code_at, cf.data
    if at in replaced:  # counted as well
        data = bytes(at) + replaced[at]
    return Code(data, at, cf.pool)


def _insert(
    cf: ClassFile, method: Method, constants: ClassConstants, replaced: dict[int, bytes], insertions: list[Insertion]
) -> None:
    replaced[method.code_at] = splice(
        _code(cf, method, replaced), Edit(insertions), cf.pool, Context.from_method(cf, method)
    )


def _surround(
    cf: ClassFile, method: Method, pushed: bytes, constants: ClassConstants, replaced: dict[int, bytes]
) -> None:
    code = _code(cf, method, replaced)
    weaver = MethodWeaver(constants, code, Context.from_method(cf, method))
    load = weaver.new_local(pushed + constants.call("beginTask", b"(Ljava/lang/Object;)I"), 1)
    insert_ending(weaver, load, "endContext", "endContext")
    replaced[method.code_at] = splice(
        code, Edit(weaver.insertions, weaver.handler, weaver.local), cf.pool, weaver.context
    )


def _calls(cf: ClassFile, code: Code) -> list[tuple[int, str]]:
    """The places where the code calls instance methods, and the methods' names."""
    found = []
    for pc, begins in enumerate(code.scan().bounds):
        if begins and code.code[pc] in (INVOKEVIRTUAL, INVOKEINTERFACE):
            name, _ = cf.pool.name_and_type(int.from_bytes(code.code[pc + 1 : pc + 3], "big"))
            found.append((pc, name.decode("ascii", "replace")))
    return found
