const ROW = 18, TALLEST = 32000; // px: browsers draw nothing on a taller canvas
// Draws a tree of calls (instrument/reports/flamegraph.py) into the elements of `host` that have these classes: graph, cpu, wall, search, back, about;
// of two sets of data that are compared (instrument/reports/comparison/flamegraph.py), also after and before. `name`: of the graph in links (page.js), which keep
// what is zoomed into and searched for; without one, no link does.
function flameGraph(host, data, name = "") {
const clocks = data.clocks, sides = data.before ? 2 : 1, WIDTH = 2 + sides * (clocks.length + (data.exact ? 1 : 0)), byId = id => host.querySelector("." + id);
let clock = clocks.indexOf(data.clock), side = 0, pointer = null, zoomed = 0, picked = 0, found = null, shown = [], calls = [], native = false;
const time = (call, of = side) => call.times[of][clock];

// Calls as they come: callers before what they call. Call 0 is the whole. A call has its times, and how often it was made, by side.
function take() {
  calls = [{depth: 0, name: -1, times: [data.whole, data.before], made: [0, 0], parent: -1, children: []}];
  native = data.names.some(name => KINDS.slice(0, 2).some(([form]) => form.test(name)));
  const open = [0];
  for (let i = 0; i < data.calls.length; i += WIDTH) {
    const depth = data.calls[i] + 1;
    open.length = depth;
    const parent = open[depth - 1];
    const each = (WIDTH - 2) / sides, of = Array.from({length: sides}, (_, n) => data.calls.slice(i + 2 + n * each, i + 2 + (n + 1) * each));
    calls.push({depth, name: data.calls[i + 1], times: of, made: of.map(one => data.exact ? one.at(-1) : 0), parent, children: []});
    open[depth] = calls.length - 1;
    calls[parent].children.push(calls.length - 1);
  }
}
// Other data of the same tree: what was zoomed into and picked stays, as far as it is there.
function update(next) {
  const ways = [zoomed, picked].map(namesTo);
  data = next;
  take();
  [zoomed, picked] = ways.map(names => {
    let at = 0;
    for (const wanted of names) { const child = calls[at].children.find(one => nameOf(calls[one]) === wanted); if (child === undefined) break; at = child; }
    return at;
  });
  search();
}
const namesTo = i => { const names = []; for (; i > 0; i = calls[i].parent) names.unshift(nameOf(calls[i])); return names; };
const nameOf = call => call.name < 0 ? "all" : data.names[call.name];

// Without its middle, as in tables (instrument/base/row_names.py).
function cut(text, width) {
  const keep = Math.max(width - 3, 0), head = Math.floor(keep / 2);
  return text.slice(0, head) + "..." + text.slice(text.length - (keep - head));
}

function label(us) {
  return us >= 1e6 ? (us / 1e6).toFixed(2) + " s" : us >= 1e3 ? (us / 1e3).toFixed(1) + " ms" : us + " µs";
}

// Hues by kind of frame, in stacks with native frames: the JVM's functions yellow, functions of other libraries red,
// Java's methods green. Frames without a function are grey.
const KINDS = [[/ \[libjvm\.so\]$/, 55], [/ \[[^\]]+\]$/, 5], [/^\[[^\]]+\]$/, 0]], JAVA = 110;
const kindOf = name => KINDS.find(([form]) => form.test(name))?.[1] ?? JAVA;

function colour(call, mark) {
  if (found && call.name >= 0 && found.has(call.name)) return mark;
  if (call.name < 0) return "#b0b0b0";
  if (sides > 1) return change(call);
  const name = nameOf(call), owner = name.slice(0, name.lastIndexOf("."));
  let hash = 0;
  for (const c of owner) hash = (hash * 31 + c.codePointAt(0)) | 0;
  const hue = native ? kindOf(name) + Math.abs(hash) % 10 : 10 + Math.abs(hash) % 45, grey = native && name.startsWith("[");
  return `hsl(${hue} ${grey ? 0 : 70 + Math.abs(hash >> 8) % 20}% ${62 + Math.abs(hash >> 16) % 10}%)`;
}

// Red where it takes more time than before, blue where it takes less: the stronger, the more it is of the whole.
function change(call) {
  const more = (time(call, 0) - time(call, 1)) / Math.max(time(calls[0], 0), time(calls[0], 1), 1);
  return `hsl(${more < 0 ? 215 : 5} 80% ${92 - 37 * Math.min(1, Math.sqrt(Math.abs(more) * 5))}%)`;
}

function draw() {
  const canvas = byId("graph"), width = canvas.clientWidth;
  shown = [];
  const way = [];
  for (let i = zoomed; i >= 0; i = calls[i].parent) way.unshift(i);
  for (const i of way) shown.push({i, x: 0, w: width});
  const todo = [{i: zoomed, x: 0, w: width}];
  let deepest = way.length;
  while (todo.length) {
    const {i, x, w} = todo.pop(), whole = time(calls[i]);
    let at = x;
    const children = [...calls[i].children].sort((a, b) => nameOf(calls[a]) < nameOf(calls[b]) ? -1 : 1);
    for (const child of children) {
      const part = whole ? w * time(calls[child]) / whole : 0;
      if (part >= 0.3) {
        shown.push({i: child, x: at, w: part});
        todo.push({i: child, x: at, w: part});
        deepest = Math.max(deepest, calls[child].depth + 1);
      }
      at += part;
    }
  }
  const scale = Math.min(devicePixelRatio || 1, TALLEST / (deepest * ROW));
  canvas.width = width * scale;
  canvas.height = deepest * ROW * scale;
  canvas.style.height = deepest * ROW + "px";
  const to = canvas.getContext("2d");
  to.scale(scale, scale);
  to.font = "12px system-ui, sans-serif";
  to.textBaseline = "middle";
  const letter = to.measureText("m").width * 0.8, mark = getComputedStyle(canvas).color;
  for (const {i, x, w} of shown) {
    const call = calls[i], y = call.depth * ROW;
    to.fillStyle = colour(call, mark);
    to.fillRect(x, y, Math.max(w - 0.5, 0.3), ROW - 1);
    const room = Math.floor((w - 6) / letter);
    if (room < 3) continue;
    const parts = nameOf(call).split("."), name = [parts.length, 2, 1].map(n => parts.slice(-n).join(".")).find(text => text.length <= room) ?? parts.at(-1);
    to.fillStyle = "#111";
    to.fillText(name.length > room ? cut(name, room) : name, x + 3, y + ROW / 2);
  }
  const box = picked && shown.find(one => one.i === picked);
  if (box) { to.strokeStyle = "#111"; to.lineWidth = 2; to.strokeRect(box.x + 1, calls[picked].depth * ROW + 1, Math.max(box.w - 2.5, 1), ROW - 3); }
  clocks.forEach((name, i) => byId(name).setAttribute("aria-pressed", i === clock));
  ["after", "before"].forEach((name, i) => byId(name)?.setAttribute("aria-pressed", i === side));
  byId("back").disabled = !zoomed;
}

function about(i) {
  const call = calls[i], whole = time(calls[0]) || 1, below = call.children.reduce((sum, c) => sum + time(calls[c]), 0), made = call.made[side];
  const more = sides > 1 ? time(call, 0) - time(call, 1) : 0, was = call.made[1] && sides > 1 ? `, before ${call.made[1].toLocaleString("en")}` : "";
  const changed = sides > 1 ? `; before ${label(time(call, 1))}, after ${label(time(call, 0))}, ${more < 0 ? "-" : "+"}${label(Math.abs(more))}` : "";
  const times = made ? `, ${made.toLocaleString("en")} calls${side ? "" : was}` : "";
  return `${nameOf(call)}: ${label(time(call))} (${(100 * time(call) / whole).toFixed(2)}%), of its own ${label(Math.max(0, time(call) - below))}${times}${changed}`;
}

function at(event) {
  const box = byId("graph").getBoundingClientRect(), x = event.clientX - box.left, depth = Math.floor((event.clientY - box.top) / ROW);
  return shown.find(one => calls[one.i].depth === depth && x >= one.x && x < one.x + one.w);
}

function search() {
  const text = byId("search").value;
  let says = "";
  found = null;
  remember();
  if (text) {
    let wanted;
    try { wanted = new RegExp(text, "i"); } catch { wanted = null; }
    const fits = name => wanted ? wanted.test(name) : name.includes(text);
    found = new Set(data.names.flatMap((name, i) => fits(name) ? [i] : []));
    let sum = 0;
    const todo = [0]; // what is found below what is found counts once
    while (todo.length) {
      const call = calls[todo.pop()];
      if (found.has(call.name)) sum += time(call); else todo.push(...call.children);
    }
    says = `${found.size} ${found.size === 1 ? "method" : "methods"} found, ${label(sum)} (${(100 * sum / (time(calls[0]) || 1)).toFixed(2)}%)`;
  }
  draw();
  const under = pointer && at(pointer); // other data may have come while the mouse is there
  byId("about").textContent = under ? about(under.i) : says || about(picked || zoomed);
}

function remember() {
  if (!name) return;
  link.set(name + ".zoom", zoomed ? String(zoomed) : "");
  link.set(name + ".search", byId("search").value);
}
function zoom(i = picked) { zoomed = picked = i; search(); }
// Picks a frame: the caller, the widest callee, or the frame beside it.
function pick(step) {
  const from = calls[picked], beside = shown.filter(one => calls[one.i].depth === from.depth).sort((a, b) => a.x - b.x), at = beside.findIndex(one => one.i === picked);
  const widest = () => from.children.filter(i => shown.some(one => one.i === i)).sort((a, b) => time(calls[b]) - time(calls[a]))[0];
  picked = {up: () => from.parent, down: widest, left: () => beside[at - 1]?.i, right: () => beside[at + 1]?.i}[step]() ?? picked;
  if (picked < 0) picked = 0;
  byId("about").textContent = about(picked);
  draw();
  const canvas = byId("graph"), scroll = canvas.parentElement, y = calls[picked].depth * ROW;
  if (scroll.scrollHeight > scroll.clientHeight && (y < scroll.scrollTop || y + 2 * ROW > scroll.scrollTop + scroll.clientHeight)) scroll.scrollTop = y - scroll.clientHeight / 2;
}
// Searches for a method, by its name in a table.
function mark(method) {
  byId("search").value = "^" + method.replace(/ ?\(.*/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "(?!\\w)";
  search();
}

byId("cpu").hidden = !clocks.includes("cpu");
byId("wall").hidden = !clocks.includes("wall");
clocks.forEach((name, i) => byId(name).addEventListener("click", () => { clock = i; search(); }));
["after", "before"].forEach((name, i) => byId(name)?.addEventListener("click", () => { side = i; search(); }));
byId("search").addEventListener("input", search);
byId("back").addEventListener("click", () => zoom(0));
byId("graph").addEventListener("mousemove", event => { pointer = event; const one = at(event); if (one) byId("about").textContent = about(one.i); });
byId("graph").addEventListener("mouseleave", () => { pointer = null; });
byId("graph").addEventListener("click", event => { const one = at(event); if (one) zoom(one.i); });
addEventListener("resize", () => { if (byId("graph").clientWidth) draw(); });
take();
if (name) { byId("search").value = link.get(name + ".search"); zoomed = +link.get(name + ".zoom") in calls ? +link.get(name + ".zoom") : 0; }
search();
return {draw, update, mark, pick, zoom, search: () => byId("search").focus()};
}
// Keys: what each does with a graph, in words and as a function.
const FLAME_KEYS = {
  "/": ["search in the flame graph", graph => graph.search()],
  "ArrowUp": ["pick the caller", graph => graph.pick("up")],
  "ArrowDown": ["pick the callee that takes most time", graph => graph.pick("down")],
  "ArrowLeft": ["pick the frame at the left", graph => graph.pick("left")],
  "ArrowRight": ["pick the frame at the right", graph => graph.pick("right")],
  "Enter": ["zoom into the picked frame", graph => graph.zoom()],
  "Escape": ["zoom out", graph => graph.zoom(0)],
};
