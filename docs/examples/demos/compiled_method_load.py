"""compiledMethodLoad: each method that the JIT compiler has compiled, with its code, its lines, and the methods that
are inlined in it.

classhook run --agent compiled_method_load.py -- java -jar app.jar
"""

from classhook import jvmpi


def notify(event: jvmpi.Event) -> None:
    if event.event_type == jvmpi.EVENT_COMPILED_METHOD_UNLOAD:
        print("unloaded", jvmpi.GetMethodName(event.u.compiled_method_unload.method_id))
        return
    code = event.u.compiled_method_load
    print(
        f"compiled {jvmpi.GetMethodName(code.method_id)}: {code.code_size} bytes at {code.code_addr:#x},"
        f" {code.lineno_table_size} lines"
    )
    for place in code.inlined:
        if len(place.frames) > 1:
            print(
                f"  +{place.offset}",
                " < ".join(f"{jvmpi.GetMethodName(frame.method_id)}@{frame.bci}" for frame in place.frames),
            )


jvmpi.NotifyEvent = notify
jvmpi.EnableEvent(jvmpi.EVENT_COMPILED_METHOD_LOAD)
jvmpi.EnableEvent(jvmpi.EVENT_COMPILED_METHOD_UNLOAD)
