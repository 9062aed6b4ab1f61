// Follows the looks of `classhook top`: asks for the next one, and shows it.
const wait = ms => new Promise(done => setTimeout(done, ms));
// An answer of the server. Throws an Error with words for the user (`told`), or an AbortError.
async function ask(name, sent, signal) {
  let answer;
  try {
    answer = await fetch(name, sent ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(sent), signal } : { signal });
  } catch (error) { throw error.name === "AbortError" ? error : Object.assign(Error("classhook top has ended: this is its last look"), { told: true }); }
  const found = await answer.json();
  if (found.error !== undefined) throw Object.assign(Error(found.error), { told: true });
  return found;
}

const EMPTY = { columns: [], rows: [], uncertain: [], notes: [], last: "", count: "" };
const course = levels => {
  const cell = element("td", undefined, { className: "course" }), graph = make("course");
  graph.firstElementChild.setAttribute("d", [...levels].map((level, i) => `M${i + 0.5} 16V${16 - parseInt(level, 36) / 35 * 15}`).join(""));
  cell.append(graph);
  return cell;
};
const open = name => {
  row.chosen = name;
  link.set("row", name);
  row.tab.hidden = false;
  chosen.graphs?.graph?.()?.mark(name);
  chosen.graphs?.graph ? again() : show(row);
};
let last = -1, pending = null, isPaused = false, isDue = false;
const group = one("group");

function tableOf(kind, title) {
  for (const [word, value] of Object.entries({ filter: data.filter, sort: data.sort && "-" + data.sort })) if (value && !link.get(`${kind}.${word}`)) link.set(`${kind}.${word}`, value);
  const made = table({ ...EMPTY, kind }, { name: kind, cells: { course }, opened: open, asked: again });
  made.section.querySelector(".filter").placeholder = "filter: a pattern, or a part of a name";
  return panel("tables", kind, title, { ...made, shown: () => { made.shown(); again(); } });
}
function graphOf(word, title) {
  const section = make("flames"), keys = Object.fromEntries(Object.entries(FLAME_KEYS).map(([key, [text, act]]) => [key, [text, () => graph && act(graph)]]));
  let graph = null;
  const update = tree => { graph ? graph.update(tree) : graph = flameGraph(section, tree); };
  const made = panel("graphs", word, title, { section, update, graph: () => graph, keys, shown: () => { graph?.draw(); again(); } });
  one("graphs").append(row.tab, rules.tab); // the last ones
  return made;
}
const rules = panel("graphs", "rules", "Rules", rulesPanel());
const row = Object.assign(panel("graphs", "row", "Row", { ...rowPanel(), shown: () => again() }), { chosen: link.get("row") });
row.tab.hidden = !row.chosen;

// Asks anew, with what is chosen now.
function again() { last = -1; isDue = true; pending?.abort(); }
function words() {
  const { order, filter } = chosen.tables?.asks() ?? { order: { by: data.sort }, filter: data.filter };
  const isSeen = document.body.classList.contains("both") || front === "graphs";
  return new URLSearchParams({ after: last, table: chosen.tables?.name ?? link.get("tables"), tree: isSeen && chosen.graphs?.graph ? chosen.graphs.name : "", row: chosen.graphs === row ? row.chosen : "", sort: order.by, filter, group: group.value });
}
function take(seen) {
  const begins = last < 0 && !chosen.tables && !chosen.graphs;
  last = seen.look;
  data.zone = seen.zone;
  document.title = one("title").textContent = seen.title || "classhook top";
  one("commands").textContent = seen.about;
  one("ended").replaceChildren(...seen.ended.slice(-3).map(text => element("p", text)));
  one("about").hidden = !seen.notes.length;
  one("about").replaceChildren(element("summary", `${seen.notes.length} ${seen.notes.length === 1 ? "note" : "notes"}`), ...seen.notes.map(note => element("p", note)));
  for (const [kind, title] of seen.kinds) (panels.find(panel => panel.pane === "tables" && panel.name === kind) ?? tableOf(kind, title)).tab.textContent = title;
  const trees = seen.trees.map(([word, title]) => {
    const found = panels.find(panel => panel.name === word && panel.graph) ?? graphOf(word, "");
    found.tab.textContent = seen.trees.length > 1 ? "Flame graph: " + word : "Flame graph";
    found.tab.title = title;
    return found;
  });
  if (begins) showFirst(trees[0]);
  else if (!chosen.tables && panels.some(panel => panel.pane === "tables")) { chosen.tables = panels.find(panel => panel.pane === "tables"); arrange(); }
  if (seen.table) panels.find(panel => panel.pane === "tables" && panel.name === seen.table.kind)?.update(seen.table);
  if (seen.row) row.update(seen.row);
  if (seen.tree && chosen.graphs?.name === seen.tree.word) chosen.graphs.update(seen.tree);
}
async function follow() {
  for (;;) {
    pending = new AbortController();
    isDue = false;
    try {
      take(await ask("data?" + words(), null, pending.signal));
      one("says").hidden = true;
    } catch (error) {
      if (!error.told && error.name !== "AbortError") throw error; // a defect
      if (error.told) {
        one("says").textContent = error.message;
        one("says").hidden = false;
        await wait(1000);
      }
    }
    while (isPaused && !isDue || document.hidden) await wait(200);
  }
}
function togglePause() {
  isPaused = !isPaused;
  one("pause").setAttribute("aria-pressed", isPaused);
}

theme(one("theme"));
group.append(...data.groups.map(name => element("option", "by " + name, { value: name })));
group.value = data.group;
group.addEventListener("change", again);
one("pause").addEventListener("click", togglePause);
one("reset").addEventListener("click", () => ask("reset", {}).then(again, error => { one("says").textContent = error.message; one("says").hidden = false; }));
Object.assign(KEYS, {
  "p": ["pause: keep what is shown", togglePause],
  "g": ["add rows up by class, package, name, ...", () => { group.selectedIndex = (group.selectedIndex + 1) % group.length; again(); }],
  "a": ["add a rule", () => { show(rules); rules.write(); }],
});
follow();
