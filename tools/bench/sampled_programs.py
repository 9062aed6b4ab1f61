"""The programs for `truth`. No part of classhook was tuned with luaj or closure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests import jars, peers
from tools.bench.common import HERE, compiled, peer, scratch
from tools.bench.figures import BenchError
from tools.bench.programs import ecj, h2

ROWS, ECJ_COPIES, GROOVY_COPIES, LUA_ROUNDS, SCRIPTS = 200_000, 120, 200, 30, 600  # some seconds each

SCRIPT = """
/** @constructor */ function Shop{0}(n) {{ this.items = []; this.n = n; }}
Shop{0}.prototype.add = function(name, price) {{
  for (var i = 0; i < this.n; i++) {{ if (this.items[i] && this.items[i].name === name) {{ return false; }} }}
  this.items.push({{name: name, price: price * (1 + {0} % 7) - 0, tags: [name, 'x' + {0}, "y"]}}); return true;
}};
Shop{0}.prototype.total = function() {{
  var sum = 0, unused = {0}; this.items.forEach(function(item) {{ sum += item.price > 10 ? item.price * 0.9 : item.price; }});
  switch ({0} % 3) {{ case 0: sum += 1; break; case 1: sum = sum * 2; default: sum -= 1; }} return sum;
}};
window['shop{0}'] = new Shop{0}({0}); window['shop{0}'].add('apple' + {0}, {0}); window['shop{0}'].total();
"""


def jar(name: str) -> Path:
    """Raises BenchError."""
    if not (path := jars.find(name)):
        raise BenchError(jars.missing(name))
    return path


def groovy() -> list[str]:
    """Compiles a script, many times over under other names."""
    folder, sources = scratch() / "groovy", []
    folder.mkdir(exist_ok=True)
    text = (HERE / "java" / "Inventory.groovy").read_text()
    for i in range(GROOVY_COPIES):
        source = folder / f"Inventory{i}.groovy"
        source.write_text(text.replace("Inventory", f"Inventory{i}"))
        sources.append(str(source))
    compiler = ["org.codehaus.groovy.tools.FileSystemCompiler", "-d", str(scratch() / "groovy-out")]
    return ["-cp", str(jar("groovy-all.jar")), *compiler, *sources]


def fastutil() -> list[str]:
    """A program of the benchmarks' own: maps, sorting, parsing and graphs of fastutil's, in turn."""
    path = jar("fastutil.jar")
    return ["-cp", f"{path}:{compiled('Collections.java', path)}", "Collections", "30"]


def luaj() -> list[str]:
    """An interpreter of Lua."""
    return ["-cp", str(peer(peers.LUAJ)), "lua", str(HERE / "java" / "Bodies.lua"), str(LUA_ROUNDS)]


def closure() -> list[str]:
    """A compiler of JavaScript."""
    source = scratch() / "shops.js"
    source.write_text("".join(SCRIPT.format(i) for i in range(SCRIPTS)))
    options = ["--compilation_level", "ADVANCED", "--warning_level", "QUIET", "--js", str(source)]
    main = "com.google.javascript.jscomp.CommandLineRunner"
    return ["-cp", str(peer(peers.CLOSURE)), main, *options, "--js_output_file", str(scratch() / "shops.min.js")]


#: Program -> the words after `java`; each raises BenchError.
PROGRAMS: dict[str, Callable[[], list[str]]] = {
    "h2": lambda: h2(jar("h2.jar"), rows=ROWS),
    "ecj": lambda: ecj(jar("eclipse-jdt-core.jar"), copies=ECJ_COPIES),
    "groovy": groovy,
    "fastutil": fastutil,
    "luaj": luaj,
    "closure": closure,
}
