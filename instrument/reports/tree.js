// A tree of calls, whose rows are made when their caller is opened.
function tree(about) {
  const section = make("tree"), find = what => section.querySelector(what), width = 2 + about.clocks.length + (about.exact ? 1 : 0);
  const calls = [{ depth: 0, name: -1, time: about.whole, times: 0, children: [] }], open = [0];
  for (let i = 0; i < about.calls.length; i += width) {
    const depth = about.calls[i] + 1, parent = calls[open[depth - 1]];
    open[depth] = calls.length;
    calls.push({ depth, name: about.calls[i + 1], time: about.calls.slice(i + 2, i + 2 + about.clocks.length), times: about.exact ? about.calls[i + width - 1] : 0, children: [] });
    parent.children.push(calls.at(-1));
  }
  let clock = about.clocks.indexOf(about.clock);
  const head = text => { const cell = element("th"); cell.append(element("span", text)); return cell; };
  about.clocks.forEach((name, i) => {
    const button = element("button", CLOCKS[name], { type: "button" });
    button.addEventListener("click", () => { clock = i; draw(); });
    find(".clocks").append(button, " ");
  });
  const micro = us => timeLabel(1000 * us);
  function line(call) {
    const row = element("tr"), own = call.time[clock] - call.children.reduce((sum, child) => sum + child.time[clock], 0);
    const percent = 100 * call.time[clock] / (about.whole[clock] || 1), last = nameCell(about.names[call.name]), toggle = element("button", call.children.length ? "▸" : "", { type: "button", className: "open" });
    const bar = element("td", percent.toFixed(1) + "%", { className: "share" });
    bar.style.setProperty("--w", percent + "%");
    const cells = [element("td", micro(call.time[clock])), bar, element("td", micro(Math.max(0, own)))];
    if (about.exact) cells.push(element("td", call.times.toLocaleString("en")));
    last.style.paddingLeft = narrow.matches ? 4 + Math.min(call.depth, 20) * 4 + "px" : Math.min(call.depth, 60) * 14 + "px";
    last.firstChild.prepend(toggle);
    row.append(...whereItIs(cells, last));
    let below = null;
    const close = () => { below?.forEach(one => { one.close(); one.row.remove(); }); below = null; toggle.textContent = call.children.length ? "▸" : ""; };
    const unfold = () => {
      below = [...call.children].sort((a, b) => b.time[clock] - a.time[clock]).map(line);
      row.after(...below.map(one => one.row));
      toggle.textContent = "▾";
      if (below.length === 1) below[0].unfold();
    };
    toggle.setAttribute("aria-label", "calls");
    toggle.addEventListener("click", () => below ? close() : call.children.length && unfold());
    return { row, close, unfold: () => call.children.length && unfold() };
  }
  function draw() {
    find("thead tr").replaceChildren(...whereItIs(["total", "", "self", ...(about.exact ? ["calls"] : [])].map(head), Object.assign(head("method"), { className: "name" })));
    const lines = [...calls[0].children].sort((a, b) => b.time[clock] - a.time[clock]).map(line);
    find("tbody").replaceChildren(...lines.map(one => one.row));
    lines.slice(0, 1).forEach(one => one.unfold());
    find(".clocks").querySelectorAll("button").forEach((button, i) => button.setAttribute("aria-pressed", i === clock));
  }
  narrow.addEventListener("change", draw);
  draw();
  return { section, arranged: draw };
}
