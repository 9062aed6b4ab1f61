// What pages of panels share: elements, labels of numbers, panels, keys, and links to what is shown.
const one = id => document.getElementById(id), make = id => one(id).content.firstElementChild.cloneNode(true);
const element = (name, text, more) => Object.assign(document.createElement(name), text === undefined ? {} : { textContent: text }, more);
const narrow = matchMedia("(max-width: 700px)"), wide = matchMedia("(min-width: 1200px)");
const CLOCKS = { cpu: "CPU time", wall: "Wall time" };

// ---- labels

function timeLabel(ns) {
  for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]])
    if (ns >= size) { const value = ns / size; return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0) + " " + unit; }
  return Math.round(ns) + " ns";
}
function bytesLabel(bytes) {
  for (const [power, unit] of [[40, "TiB"], [30, "GiB"], [20, "MiB"], [10, "KiB"]]) if (bytes >= 2 ** power) return (bytes / 2 ** power).toFixed(1) + " " + unit;
  return bytes + " B";
}
const clockLabel = ns => new Date(ns / 1e6 + data.zone * 1000).toISOString().slice(11, 23); // as where the report was written
const QUANTITIES = { time: timeLabel, bytes: bytesLabel, number: value => value.toLocaleString("en"), share: value => value.toFixed(1) + "%", clock: clockLabel };
for (const [name, of] of Object.entries(QUANTITIES)) QUANTITIES["+" + name] = value => (value < 0 ? "-" : "+") + of(Math.abs(value)); // changes
const label = (unit, value) => value === null ? "" : unit in QUANTITIES ? QUANTITIES[unit](value) : value === true ? "yes" : value === false ? "" : String(value);
// Where there is little room: without packages, and without parameters if these do not fit.
const LETTERS = 60;
function shortName(name) {
  const simple = name.replace(/(?<![\p{L}\p{Nd}_$"*])(?:[\p{Ll}_$][\p{L}\p{Nd}_$]*\.)+(?=[\p{Lu}\[])/gu, "");
  return simple.length > LETTERS ? simple.replace(/^([^"]*?)\([^()"]+\)/, "$1(..)") : simple;
}
const isShort = () => narrow.matches || document.body.classList.contains("both");
function nameCell(name, shorten = shortName) {
  const cell = element("td", undefined, { className: "name", title: name });
  cell.append(element("span", isShort() ? shorten(name) : name));
  return cell;
}
const whereItIs = (cells, name) => isShort() ? [name, ...cells] : [...cells, name]; // first, it stays to be seen

// ---- links: the address's fragment says what is shown

const link = {
  words: new URLSearchParams(location.hash.slice(1)),
  get: name => link.words.get(name) ?? "",
  set(name, value) {
    value === "" ? link.words.delete(name) : link.words.set(name, value);
    try { history.replaceState(null, "", location.pathname + location.search + (link.words.size ? "#" + link.words : "")); } catch { /* not where a page is in a frame of another */ }
  },
};
addEventListener("hashchange", () => location.reload());

// ---- panels: a pane of tables and one of graphs, each with tabs

const PANES = ["tables", "graphs"], panels = [], chosen = {};
let wasBoth = false, front = PANES[0]; // the pane that is shown where there is room for one only
// `made`: its section; `shown`: called when it is to be seen; `keys`: what it does for which key, in words and as a function.
function panel(pane, name, title, made) {
  const tab = element("button", title, { type: "button" }), added = { keys: {}, ...made, pane, name, tab };
  tab.setAttribute("role", "tab");
  tab.addEventListener("click", () => show(added));
  tab.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], at = panels.indexOf(added);
    if (step && panels[at + step]) { show(panels[at + step]); panels[at + step].tab.focus(); }
  });
  made.section.setAttribute("role", "tabpanel");
  one(pane).append(tab);
  one("of-" + pane).append(made.section);
  panels.push(added);
  return added;
}
function show(panel, remember = true) {
  chosen[panel.pane] = panel;
  front = panel.pane;
  if (remember) { link.set(panel.pane, panel.name); link.set("front", front === PANES[0] ? "" : front); }
  arrange();
  panel.tab.scrollIntoView({ block: "nearest", inline: "nearest" });
}
function arrange() {
  const both = wide.matches && PANES.every(pane => chosen[pane]);
  if (document.body.classList.toggle("both", both) !== wasBoth) for (const panel of panels) panel.arranged?.();
  wasBoth = both;
  for (const pane of PANES) one("of-" + pane).hidden = !both && pane !== front;
  for (const { pane, tab, section } of panels) {
    const selected = chosen[pane]?.section === section;
    section.hidden = !selected;
    tab.setAttribute("aria-selected", selected && (both || pane === front));
    tab.tabIndex = selected ? 0 : -1;
  }
  for (const pane of PANES) if (both || pane === front) chosen[pane]?.shown?.();
}
wide.addEventListener("change", arrange);
// Shows what the link says, else the first panel of each pane, or `first` of the graphs.
function showFirst(first = null) {
  for (const pane of [...PANES].reverse()) {
    const of = panels.filter(panel => panel.pane === pane), found = of.find(panel => panel.name === link.get(pane)) ?? (pane === PANES[1] && first) ?? of[0];
    if (found || of[0]) show(found || of[0], false);
  }
  const wanted = chosen[link.get("front")];
  if (wanted) show(wanted, false);
}

// ---- keys: those of the panel that has the focus, else of the one in front

const KEYS = {
  "1 to 9": ["the first panel, the second one, ..."],
  "?": ["these keys", () => help()],
};
const inFront = () => panels.find(panel => !panel.section.hidden && panel.section.contains(document.activeElement)) ?? (document.body.classList.contains("both") ? chosen[PANES[0]] : chosen[front]);
function help() {
  const pairs = keys => Object.entries(keys).flatMap(([key, [text]]) => {
    const term = element("dt");
    term.append(element("kbd", key.replace("Arrow", "")));
    return [term, element("dd", text)];
  });
  const own = Object.values(chosen).filter(panel => Object.keys(panel.keys).length);
  one("keys").querySelector("dl").replaceChildren(...own.flatMap(panel => [element("dt", panel.tab.textContent, { className: "of" }), ...pairs(panel.keys)]),
    element("dt", "Everywhere", { className: "of" }), ...pairs(KEYS));
  one("keys").showModal();
}
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || one("keys").open) return;
  if (event.target.matches?.("input, textarea, select")) { if (event.key === "Escape") event.target.blur(); return; }
  if (event.key === "Enter" && event.target.matches?.("button, summary")) return;
  const does = inFront()?.keys[event.key]?.[1] ?? KEYS[event.key]?.[1] ?? (panels[event.key - 1] && (() => show(panels[event.key - 1])));
  if (does) { event.preventDefault(); does(); }
});
one("help").addEventListener("click", help);
