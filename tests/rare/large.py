"""Classes at the format's limits (JVMS 4.11), as sources for the assembler."""

from __future__ import annotations

from collections.abc import Callable

NEW = "new java/lang/Object\n pop"


def header(name: str, version: str = "52") -> str:
    return f".class public super {name} version {version}\n"


def caller(name: str, *methods: str) -> str:
    """run(int), which adds the results of these static methods of an int."""
    calls = "\n".join(f" iload_0\n invokestatic {name}.{method} (I)I\n iadd" for method in methods)
    return f".method public static run (I)I stack 4 locals 4 # calls 8\n iconst_0\n{calls}\n ireturn\n"


def goto_w() -> str:
    """A loop over more than 32 KB with goto_w, with and without frames."""
    text = ""
    for name, version, frame in (("GotoW", "52", ".frame I I /"), ("GotoWOld", "48", "")):
        text += (
            header(name, version)
            + f"""
.method public static run (I)I stack 4 locals 2 # calls 8
 iconst_0
 istore_1
 loop: {frame}
 iload_1
 iconst_3
 if_icmplt body
 iload_0
 ireturn
 body: {frame}
 iinc 1 1
 iinc 0 5
 .fill 34000
 {NEW}
 goto_w loop
"""
        )
    return text


def conditionals(name: str, version: str, frame: bool, target: str, between: str, jumps: int = 1) -> str:
    """A conditional jump over just below 32 KB, forward and backward; insertions make it too far."""
    at = ".frame I /" if frame else ""
    many = " iload_0\n bipush 100\n if_icmpgt {0}\n" * jumps
    return (
        header(name, version)
        + caller(name, "forward", "backward")
        + f"""
.method static forward (I)I stack 4 locals 1 # calls 8
{many.format("end")}
 iload_0
 iconst_5
 if_icmpge end
 start: iinc 0 1
 {between}
 .fill {target} start
 end: {at}
 iload_0
 ireturn
.method static backward (I)I stack 4 locals 1 # calls 8
 loop: {at}
 iinc 0 1
 {between}
 .fill {target} loop
 iload_0
 iconst_5
 if_icmplt loop
{many.format("loop")}
 iload_0
 ireturn
"""
    )


def trampolines() -> str:
    """Conditional jumps that outgrow 16 bits, with all kinds of places for their trampolines."""
    free = f"{NEW}\n goto on{{0}}\n on{{0}}: .frame I /\n"
    made = f"{NEW}\n iload_0\n ifgt on{{0}}\n nop\n on{{0}}: .frame I /\n"
    text = ""
    for name, version, between in (
        ("JumpFree", "52", free.format(1)),
        ("JumpMade", "52", made.format(1)),
        ("JumpOld", "48", NEW),
        ("JumpFall", "50", NEW),
    ):
        half = f" {NEW}\n .fill 16000\n {between}"
        text += conditionals(name, version, version == "52", "32757", half)
    text += conditionals("JumpMany", "52", True, "32390", f" {NEW}\n .fill 20000\n" + made.format(1), jumps=60)
    text += conditionals(
        "JumpMost", "52", True, "26750", f" {NEW}\n .fill 20000\n" + made.format(1) + f" {NEW}\n" * 100, jumps=1000
    )
    return text


def switches() -> str:
    """Switches over more than 32 KB, and one with many keys that must be moved by every number of bytes."""
    text = (
        header("Switches")
        + caller("Switches", "table", "lookup", "keys")
        + f"""
.method static table (I)I stack 4 locals 1 # calls 8
 iload_0
 tableswitch 0 default zero one
 zero: .frame I /
 iinc 0 1
 {NEW}
 .fill 40000
 one: .frame I /
 iinc 0 10
 .fill 55000
 default: .frame I /
 iload_0
 ireturn
.method static lookup (I)I stack 4 locals 1 # calls 8
 goto_w start
 zero: .frame I /
 iinc 0 1
 .fill 40000
 one: .frame I /
 iinc 0 10
 {NEW}
 .fill 55000
 default: .frame I /
 iload_0
 ireturn
 start: .frame I /
 iload_0
 lookupswitch default 0:zero 5:one 100000:one -7:zero
.method static keys (I)I stack 4 locals 1 # calls 8
 nop
 nop
 iload_0
 tableswitch 0 one{" one two" * 6000}
 one: .frame I /
 iconst_1
 ireturn
 two: .frame I /
 iconst_2
 ireturn
"""
    )
    return text


def code_sizes() -> str:
    """Methods with little room left, or none."""
    text = header("Sizes", "52")
    sizes = [8000, 7990, 65000, 65500, 65520, 65526, 65529, 65530, 65531, 65535]
    text += caller("Sizes", *(f"m{size}" for size in sizes))
    for size in sizes:
        counted = size <= 65530 and size not in (8000,)
        comment = "# calls 8" if counted else ""
        text += (
            f".method static m{size} (I)I stack 4 locals 1 {comment}\n iinc 0 1\n .fill {size - 2}\n iload_0\n"
            " ireturn\n"
        )
    return text


def pools() -> str:
    """Constant pools with little room left, or none."""
    text = ""
    for count in (65400, 65500, 65515, 65520, 65525, 65526, 65527, 65528, 65529, 65530, 65534, 65535):
        name = f"Pool{count}"
        room = 65535 - count  # six entries name the tracker's method, the rest are numbers of methods
        comments = [" # calls 8" if room - 6 > i else "" for i in range(3)]
        text += (
            header(name)
            + f"""
.pool {count}
.method public static run (I)I stack 4 locals 4{comments[0]}
 iload_0
 invokestatic {name}.one (I)I
 iload_0
 invokestatic {name}.two (I)I
 iadd
 ireturn
.method static one (I)I stack 4 locals 1{comments[1]}
 {NEW}
 iload_0
 ifgt on
 iinc 0 7
 on: .frame I /
 iload_0
 ireturn
.method static two (I)I stack 4 locals 1{comments[2]}
 {NEW}
 iconst_2
 newarray int
 pop
 iload_0
 ireturn
"""
        )
    return text


def limits() -> str:
    """255 argument slots, max_stack and max_locals at and below 65,535, wide instructions."""
    # 253 ints and a long: 255 slots
    wide_descriptor = "(" + "I" * 253 + "J)I"
    text = (
        header("Limits", "52")
        + caller("Limits", "arguments", "deep", "deep1", "many", "many1", "many2", "wides")
        + f"""
.method static arguments (I)I stack 260 locals 1 # calls 8
 .repeat 253 iload_0
 lconst_1
 invokestatic Limits.all {wide_descriptor}
 ireturn
.method static all {wide_descriptor} stack 4 locals 255 # calls 8
 iload 252
 ifne on
 iconst_4
 ireturn
 on: .frame {"I " * 253} J /
 iload 250
 lload 253
 l2i
 iadd
 ireturn
"""
    )
    for name, stack, locals_ in (
        ("deep", 65535, 4),
        ("deep1", 65534, 4),
        ("many", 4, 65535),
        ("many1", 4, 65534),
        ("many2", 4, 65533),
    ):
        text += f"""
.method static {name} (I)I stack {stack} locals {locals_} # calls 8
 iload_0
 ifne on
 iconst_4
 ireturn
 on: .frame I /
 iload_0
 wide istore {locals_ - 1}
 wide iload {locals_ - 1}
 ireturn
"""
    text += (
        """
.method static wides (I)I stack 6 locals 70 # calls 8
 iload_0
 wide istore 69
 loop: .frame I """
        + "T " * 68
        + """ I /
 wide iinc 69 1000
 wide iinc 69 -300
 wide iinc 0 1
 wide iload 69
 sipush 2000
 if_icmplt loop
 wide iload 69
 ireturn
"""
    )
    return text


LARGE: tuple[Callable[[], str], ...] = (goto_w, trampolines, switches, code_sizes, pools, limits)
