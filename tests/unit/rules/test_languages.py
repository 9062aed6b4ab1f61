"""Method names in each language's form. tests/jvm/test_languages.py has programs of the languages' compilers."""

from __future__ import annotations

from itertools import product

import pytest

from classhook.base.readable import Readable
from classhook.rules.languages.kinds import name_of
from classhook.rules.languages.kotlin import variable
from classhook.rules.languages.scala import decoded

STATIC, SYNTHETIC = 0x8, 0x1000
CONTINUATION = "Lkotlin/coroutines/Continuation;"
#: (source file, class, method, descriptor, flags) -> the text; None: that of the JVM.
NAMES = {
    ("A.java", "a.A", "lambda$f$0", "()V", SYNTHETIC): "lambda in a.A.f (A.java:7)",
    ("A.java", "a.A", "lambda$new$12", "()V", SYNTHETIC): "lambda in a.A.<init> (A.java:7)",
    ("A.java", "a.A", "lambda$static$0", "()V", SYNTHETIC): "lambda in a.A.<clinit> (A.java:7)",
    ("A.java", "a.A", "lambda$f$0", "()V", 0): None,  # somebody's own
    ("A.java", "a.A", "f$default", "(La/A;ILjava/lang/Object;)V", STATIC): None,
    ("A.java", "a.A", "f-abcDEF1", "()V", 0): None,
    ("A.java", "a.A", "$plus$eq", "()V", 0): None,
    ("", "a.A", "f$default", "()V", 0): None,
    ("a.kt", "a.AKt", "f", "()V", STATIC): "a.f()",
    ("my-file.kt", "a.My_fileKt", "f", "()V", STATIC): "a.f()",
    ("a.kt", "AKt", "f", "()V", STATIC): "f()",
    ("b.kt", "a.AKt", "f", "()V", 0): None,  # a class of this name
    ("A.kt", "a.A", "f", "()V", 0): None,
    ("A.kt", "a.A", "f$default", "(La/A;IILjava/lang/Object;)V", STATIC): "a.A.f(int) with defaults",
    (
        "A.kt",
        "a.A",
        "f$default",
        "(La/A;" + "I" * 33 + "IILjava/lang/Object;)V",
        STATIC,
    ): f"a.A.f({', '.join(['int'] * 33)}) with defaults",
    (
        "A.kt",
        "a.A",
        "f$default",
        f"(La/A;I{CONTINUATION}ILjava/lang/Object;)Ljava/lang/Object;",
        STATIC,
    ): "suspend a.A.f(int) with defaults",
    ("A.kt", "a.A", "f-k4lQ0Mx", "(I)V", 0): "a.A.f(int)",
    ("A.kt", "a.A", "f-k4lQ0Mx$default", "(La/A;IILjava/lang/Object;)V", STATIC): "a.A.f(int) with defaults",
    ("A.kt", "a.A", "our-product", "()V", 0): None,  # in backquotes
    ("A.kt", "a.A", "f$app_main", "()V", 0): "a.A.f()",
    ("A.kt", "a.A", "f$g", "()V", STATIC): "g in a.A.f (A.kt:7)",
    ("A.kt", "a.A", "f$annotations", "()V", STATIC): None,
    ("A.kt", "a.A", "access$f", "(La/A;)V", STATIC): "accessor of a.A.f(A)",
    ("A.kt", "a.A", "f$suspendImpl", f"(La/A;I{CONTINUATION})Ljava/lang/Object;", STATIC): "suspend a.A.f(int)",
    ("A.kt", "a.A", "f$lambda$0$lambda$1", "()V", STATIC): "lambda in a.A.f (A.kt:7)",
    ("A.kt", "a.A", "f$lambda-2", "()V", STATIC): "lambda in a.A.f (A.kt:7)",
    ("A.kt", "a.A$f$1", "invoke", "()V", 0): "lambda in a.A.f (A.kt:7)",
    ("A.kt", "a.AKt$f$1$2", "invokeSuspend", "(Ljava/lang/Object;)Ljava/lang/Object;", 0): "coroutine in a.f (A.kt:7)",
    ("A.kt", "a.A$Companion", "of", "()V", 0): "a.A.of()",
    ("A.kt", "a.A$DefaultImpls", "f", "(La/A;I)V", STATIC): "a.A.f(int)",
    ("A.kt", "a.A", "[inline]", "()V", 0): "inline code of a.A (A.kt:7)",
    ("A.kt", "a.AKt", "[inline]", "()V", 0): "inline code of a.A.kt (A.kt:7)",
    ("A.kt", "a.A", "f-impl", "(IJ)V", STATIC): "a.A.f(long)",
    ("A.kt", "a.A", "box-impl", "(I)La/A;", STATIC): None,
    ("A.scala", "a.A", "$plus$plus$colon", "()V", 0): "a.A.++:()",
    ("A.scala", "a.$colon$colon$", "apply", "()V", 0): "a.::.apply()",
    ("A.scala", "a.A", "a$A$$f", "()V", 0): "a.A.f()",
    ("A.scala", "a.A", "x$lzycompute", "()V", 0): "lazy a.A.x()",
    ("A.scala", "a.A", "x$lzyINIT1", "()V", 0): "lazy a.A.x()",
    ("A.scala", "a.A", "apply$mcII$sp", "(I)I", 0): "a.A.apply(int) specialized",
    ("A.scala", "a.A", "$anonfun$f$2$adapted", "()V", STATIC): "lambda in a.A.f (A.scala:7), boxed",
    ("A.scala", "a.A$", "f$$anonfun$1$$anonfun$2", "()V", STATIC): "lambda in a.A.f (A.scala:7)",
    ("A.scala", "a.A$$anonfun$f$1", "apply", "()V", 0): "lambda in a.A.f (A.scala:7)",
    ("A.scala", "a.A$", "$anonfun$1$$anonfun$1", "()V", STATIC): "lambda in a.A (A.scala:7)",
    ("A.scala", "a.Main$package$", "f", "()V", 0): "a.f()",
    ("A.scala", "a.A", "f$", "(La/A;I)V", STATIC): "forwarder to a.A.f(int)",
    ("A.groovy", "a.A$_f_closure1$_closure2", "doCall", "()V", 0): "closure in a.A.f (A.groovy:7)",
    ("A.groovy", "a.T$Trait$Helper", "f", "(La/T;I)V", STATIC): "a.T.f(int)",
    ("A.groovy", "a.A", "doCall", "()V", 0): None,
    ("a_b.clj", "my_app.a_b$f_g_BANG_", "invoke", "()V", 0): "my-app.a-b/f-g!",
    ("a.clj", "a.b$f$fn__12", "invoke", "()V", 0): "fn in a.b/f (a.clj:7)",
    ("a.clj", "a.b$f$g__12", "invoke", "()V", 0): "g in a.b/f (a.clj:7)",
    ("a.clj", "a.b$eval12", "invoke", "()V", 0): "form in a.b (a.clj:7)",
    ("a.clj", "a.b$f$reify__5", "g_h", "()V", 0): "g-h of a reify in a.b/f (a.clj:7)",
    ("a.clj", "a.b.Record", "g_h", "()V", 0): "a.b.Record.g-h()",
    ("a.clj", "a.b$f", "getRequiredArity", "()I", 0): None,
}


@pytest.mark.parametrize("key", NAMES, ids=lambda key: f"{key[0]} {key[1]} {key[2]}")
def test_names(key: tuple[str, str, str, str, int]) -> None:
    source, class_name, method, descriptor, flags = key
    of_class = Readable({class_name: source}, {(class_name, method, descriptor): (flags, 7)})
    written = NAMES[key]
    assert (of_class.name(class_name, method, descriptor) is None) == (written is None)
    if written is not None:
        assert of_class.text(class_name, method, descriptor) == written


def test_any_name_has_an_answer() -> None:
    """Class files may have any names."""
    sources = ("A.kt", "A.scala", "A.groovy", "A.clj", "A.java", ".kt", "kt")
    classes = ("", "$", "A", "a.A$", "a.$", "a.A$$anonfun$", "A$_closure", "a$fn__1", "A$1")
    methods = (
        "<init>",
        "",
        "$",
        "$$",
        "-",
        "$default",
        "a$",
        "$1",
        "access$",
        "$anonfun$",
        "_",
        "$u12",
        "x$lzy",
        "lambda$",
        "a-",
        "invoke",
    )
    for source, class_name, method, descriptor, flags in product(
        sources, classes, methods, ("", "(", "()V", "(I", "([", "(La", ")"), (-1, 0, STATIC)
    ):
        found = name_of(source, class_name, method, descriptor, flags)
        assert found is None or found.method or found.owner or found.before


def test_operators_of_scala() -> None:
    assert decoded("$eq$eq$greater") == "==>"
    assert decoded("a_$eqb") == "a_=b"
    assert decoded("$u00e9t$u00E9") == "été"
    assert decoded("$nothing$1") == "$nothing$1"


def test_frames_of_stacks() -> None:
    """Their source files are in them."""
    names = Readable({}, {})
    assert names.short("a.b.A.f(A.java:7)") == "A.f:7"
    assert names.short("a.b.AKt.f(A.kt:7)") == "b.f:7"
    assert names.short("a.b.A.f$lambda$0(A.kt:7)") == "lambda in A.f:7"
    assert names.short("a.b$f_g.invoke(b.clj:7)") == "b/f-g:7"
    assert names.short("a.A.$plus(A.scala:7)") == "A.+:7"
    assert names.short("a.A.f(Unknown Source)") == "A.f"
    assert names.short("[unknown]") == "[unknown]"
    assert Readable({}, {}, raw=True).short("a.b.AKt.f(A.kt:7)") == "AKt.f:7"


def test_frames_of_different_methods_differ() -> None:
    names = Readable({"a$f": "a.clj"}, {})
    found = [names.frame("a$f", method, "()V") for method in ("invoke", "invokeStatic", "invoke")]
    assert found == ["a/f", "a/f [a$f.invokeStatic]", "a/f"]


@pytest.mark.parametrize(
    ("in_the_jvm", "written"),
    [
        ("price", "price"),
        ("$v$c$shop-Cents$-price$0", "price"),
        ("$v$c$shop-Cents$-$this$charged$0", "$this$charged"),
        ("$v$c$shop-Cents", "$v$c$shop-Cents"),
        ("$completion", "$completion"),
    ],
)
def test_variables_of_value_classes(in_the_jvm: str, written: str) -> None:
    assert variable(in_the_jvm) == written
