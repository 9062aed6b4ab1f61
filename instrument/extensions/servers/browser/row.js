// The panel of the row that is chosen in a table: who calls it, what it calls, how long its activations took.
function rowPanel() {
  const section = make("row"), find = what => section.querySelector(what);
  const line = (...cells) => { const row = element("tr"); row.append(...cells); return row; };
  const number = text => element("td", text, { className: "number" });
  function update(row) {
    find("h2").textContent = row.name;
    find(".none").hidden = row.near.length > 0;
    find(".near").replaceChildren(...row.near.flatMap(({ title, count, rows }) => {
      const body = element("tbody"), more = count - rows.length;
      body.append(...rows.map(([name, ns, calls]) => line(number(label("time", ns)), number(calls ? label("number", calls) : ""), element("td", shortName(name), { className: "name", title: name }))));
      const all = element("table");
      all.append(element("caption", `${count} ${count === 1 ? title.slice(0, -1) : title}, ${row.clock === "cpu" ? "CPU" : row.clock} time since the start of the data${more > 0 ? `; ${more} more` : ""}`), body);
      return [all];
    }));
    const most = Math.max(1, ...row.took.map(([, count]) => count)), body = element("tbody");
    body.append(...row.took.map(([took, count]) => {
      const bar = element("td", undefined, { className: "bar" });
      bar.style.setProperty("--w", count / most * 100 + "%");
      return line(number(took), number(count.toLocaleString("en")), bar);
    }));
    find(".took tbody").replaceWith(body);
    find(".took").hidden = !row.took.length;
  }
  return { section, update };
}
