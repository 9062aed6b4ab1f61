// The panel of rules: those of each JVM, to pause and to remove, and a box for another one, with what is wrong with it, what fits at the cursor, and what it would match.
const SETTLED = 150; // ms without another key
const SAME = 5000; // ms after which rules that others have changed are seen

function rulesPanel() {
  const section = make("rules"), find = what => section.querySelector(what), box = find("textarea"), which = find("select"), list = find(".proposals");
  let sessions = [], shown = "", timer = 0, asked = 0, proposals = [], replaces = null, picked = -1;
  const isSeen = () => !section.hidden && section.offsetParent !== null;
  const tell = (text, isError = false) => { find(".told").textContent = text; find(".told").classList.toggle("error", isError); };
  const pid = () => +which.value;

  async function refresh() {
    try { sessions = await ask("rules"); } catch (error) { return tell(error.message, true); }
    if (JSON.stringify(sessions) === shown) return;
    shown = JSON.stringify(sessions);
    const before = which.value;
    which.replaceChildren(...sessions.map(({ pid, main }) => element("option", `${pid} ${main}`, { value: pid })));
    if (sessions.some(one => String(one.pid) === before)) which.value = before;
    find(".which").hidden = sessions.length < 2;
    find(".add").disabled = box.disabled = !sessions.length;
    find(".sessions").replaceChildren(...sessions.flatMap(({ pid, main, rules }) => {
      const all = element("ol");
      all.append(...rules.map(one => line(pid, one)));
      return [element("h2", `${pid} ${main}: ${rules.length} ${rules.length === 1 ? "rule" : "rules"}`), all];
    }), ...(sessions.length ? [] : [element("h2", "No JVM that is shown here runs with classhook now.")]));
  }
  function line(pid, { rule, paused }) {
    const row = element("li", undefined, { className: paused ? "off" : "" });
    const button = (text, what) => {
      const made = element("button", text, { type: "button" });
      made.addEventListener("click", () => change({ do: what, pid, rule }));
      return made;
    };
    row.append(element("code", rule), paused ? button("Resume", "resume") : button("Pause", "pause"), button("Remove", "remove"));
    return row;
  }
  async function change(sent) {
    tell("changing classes ...");
    for (const button of section.querySelectorAll("button")) button.disabled = true;
    try {
      tell((await ask("rules", sent)).says.join("\n"));
      if (sent.do === "add") { box.value = ""; clear(); }
    } catch (error) { tell(error.message, true); }
    shown = "";
    await refresh();
  }

  // ---- a rule that is being written

  function clear() { asked++; proposals = []; list.hidden = true; find(".findings").replaceChildren(); find(".meaning").replaceChildren(); }
  function later() { clearTimeout(timer); tell(""); timer = setTimeout(check, SETTLED); }
  async function check() {
    const number = ++asked, rows = box.value.slice(0, box.selectionStart).split("\n");
    if (!box.value.trim() && document.activeElement !== box) return clear();
    let found;
    try { found = await ask("check", { pid: pid(), rule: box.value, line: rows.length - 1, column: [...rows.at(-1)].length }); } catch (error) { return tell(error.message, true); }
    if (number !== asked) return; // another one was asked meanwhile
    ({ proposals, replaces } = found);
    find(".findings").replaceChildren(...(box.value.trim() ? found.findings : []).map(one => element("p", one.message, { className: one.severity })));
    find(".meaning").replaceChildren(...(found.findings.some(one => one.severity === "error") ? [] : marked(found.help)));
    pick(-1);
  }
  // Help is in Markdown, with two kinds of marks.
  const marked = text => text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map(part => part[0] === "`" ? element("code", part.slice(1, -1)) : part.startsWith("**") ? element("b", part.slice(2, -2)) : part);
  function pick(at) {
    picked = proposals.length ? (at + proposals.length + 1) % (proposals.length + 1) : -1;
    if (at < 0 || picked === proposals.length) picked = -1;
    list.hidden = !proposals.length || document.activeElement !== box;
    list.replaceChildren(...proposals.map((one, i) => {
      const row = element("li", one.label);
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", i === picked);
      row.append(element("span", one.detail, { className: "dim" }));
      row.addEventListener("mousedown", event => { event.preventDefault(); accept(i); });
      return row;
    }));
    list.children[picked]?.scrollIntoView({ block: "nearest" });
  }
  function accept(at) {
    const rows = box.value.split("\n"), begin = rows.slice(0, replaces[0]).join("\n").length + (replaces[0] ? 1 : 0) + [...rows[replaces[0]]].slice(0, replaces[1]).join("").length;
    box.setRangeText(proposals[at].text, begin, box.selectionStart, "end");
    check();
  }
  const typed = {
    ArrowDown: () => pick(picked + 1),
    ArrowUp: () => pick(picked < 0 ? proposals.length - 1 : picked - 1),
    Tab: () => accept(Math.max(picked, 0)),
    Escape: () => { proposals = []; pick(-1); },
  };
  box.addEventListener("keydown", event => {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      picked >= 0 && !list.hidden ? accept(picked) : find("form").requestSubmit();
    } else if (!list.hidden && event.key in typed && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      typed[event.key]();
    }
  });
  box.addEventListener("input", later);
  box.addEventListener("focus", later);
  box.addEventListener("click", later);
  box.addEventListener("blur", () => { list.hidden = true; });
  which.addEventListener("change", later);
  find("form").addEventListener("submit", event => {
    event.preventDefault();
    if (box.value.trim()) change({ do: "add", pid: pid(), rule: box.value });
  });
  setInterval(() => { if (isSeen() && !isPaused && !document.hidden) refresh(); }, SAME);
  return { section, shown: refresh, write: () => box.focus() };
}
