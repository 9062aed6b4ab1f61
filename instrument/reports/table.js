// A table to sort and to filter; only the rows that are to be seen are in the document.
// `name`: in links; `cells`: how the cells of further units are made; `opened`: called with the name of a row that is chosen; `asked`: called with the order and the
// filter when these change, if the rows that fit come from elsewhere (then `update` has them); `whole`: names are never shortened.
const BEYOND = 20; // rows drawn above and below what is to be seen
const NAME = "name"; // of the last column, in links
const rowHeight = () => narrow.matches ? 36 : 23;

function table(about, { name = "", cells = {}, opened = () => {}, asked = null } = {}) {
  const section = make("table"), find = what => section.querySelector(what), body = find("tbody"), scroll = find(".scroll"), box = find(".filter");
  const value = (row, column) => { const found = row[column.at]; return typeof found === "boolean" ? +found : found; };
  const idOf = row => about.events ? row.join(" ") : row[0]; // events may have one name
  const columnOf = word => word === NAME ? named : columns.find(column => word && (column.name === word || column.head === word));
  let columns = [], named = null, uncertain = null, rows = [], first = -1, selected = null, heading = "";
  let order = { by: link.get(name + ".sort").replace(/^[-+]/, ""), down: link.get(name + ".sort")[0] === "-" };
  box.value = link.get(name + ".filter");

  function take() {
    const widest = (column, at) => Math.min(40, Math.max(column.head.length + 3, ...about.rows.slice(0, 2000).map(row => label(column.unit, row[at]).length)));
    columns = about.columns.map((column, i) => ({ ...column, at: i + 1, letters: column.letters ?? widest(column, i + 1) }));
    named = { name: NAME, head: about.last, at: 0, unit: "name", ascending: true };
    uncertain = new Set(about.uncertain.map(i => about.rows[i])); // below all others, by the main column
    const wanted = columnOf(order.by), usual = about.kept ? null : columnOf(about.order) ?? columns[0];
    if (columns.length) order = wanted ? { ...order, by: wanted.name } : { by: usual?.name ?? "", down: !usual?.ascending };
    heads();
    find(".notes").replaceChildren(...about.notes.map(note => element("p", note)));
    filter();
  }
  function heads() {
    const all = whereItIs(columns, named), text = JSON.stringify(all.map(({ head, letters }) => [head, letters]));
    if (text !== heading) {
      heading = text;
      find("colgroup").replaceChildren(...all.map(column => { const col = element("col"); if (column.at) col.style.width = `calc(${column.letters}ch + 16px)`; return col; }));
      find("thead tr").replaceChildren(...all.map(column => {
        const head = element("th", undefined, { className: column.at ? column.unit === "text" ? "text" : "" : "name" });
        const inside = column.unit in cells ? element("span", column.head) : element("button", column.head, { type: "button" });
        if (!(column.unit in cells)) inside.addEventListener("click", () => sortBy(column, order.by === column.name ? !order.down : !column.ascending));
        head.append(inside);
        return Object.assign(head, { column: column.name });
      }));
    }
    for (const head of find("thead tr").cells) head.setAttribute("aria-sort", head.column === order.by ? (order.down ? "descending" : "ascending") : "none");
  }
  function sortBy(column, down) {
    order = { by: column.name, down };
    link.set(name + ".sort", (down ? "-" : "+") + column.name);
    scroll.scrollTop = 0;
    asked?.({ order, filter: box.value });
    heads();
    filter();
  }
  function nextColumn(step) {
    const all = [...columns.filter(column => !(column.unit in cells)), named], at = all.findIndex(column => column.name === order.by);
    const next = all[(at + step + all.length) % all.length];
    sortBy(next, !next.ascending);
  }

  const sum = (column, number) => `${label(column.unit, number)} ${number === 1 ? column.head.replace(/s$/, "") : column.head}`;
  function filter() {
    const text = asked ? "" : box.value, small = text.toLowerCase();
    let wanted = null;
    try { wanted = new RegExp(text, "i"); } catch { /* a part of a name then */ }
    rows = text ? about.rows.filter(row => row[0].toLowerCase().includes(small) || wanted?.test(row[0])) : about.rows;
    const sums = about.columns.flatMap((column, i) => column.adds && column.unit in QUANTITIES && column.unit !== "share"
      ? [sum(column, rows.reduce((sum, row) => sum + (row[i + 1] ?? 0), 0))] : []).slice(0, 1);
    const all = about.rows.length;
    find(".count").textContent = about.count ?? [`${rows.length.toLocaleString("en")} of ${all.toLocaleString("en")} ${all === 1 ? "row" : "rows"}`, ...sums].join(", ");
    const by = columnOf(order.by), sign = order.down ? -1 : 1, last = by && by.name === about.main ? row => uncertain.has(row) : () => false;
    const compare = (a, b) => { const x = value(a, by), y = value(b, by); return last(a) - last(b) || (x === null) - (y === null) || sign * (x < y ? -1 : x > y ? 1 : 0); };
    if (by) rows = [...rows].sort(compare);
    draw(true);
  }
  // two rows of space stand for the rows that are not in the document
  function draw(anew) {
    const from = Math.max(0, Math.floor(scroll.scrollTop / rowHeight()) - BEYOND), count = Math.ceil((scroll.clientHeight || 600) / rowHeight()) + 2 * BEYOND;
    if (!anew && from === first) return;
    first = from;
    const space = height => { const row = element("tr", undefined, { className: "space" }), cell = element("td", undefined, { colSpan: columns.length + 1 });
      cell.style.height = height + "px"; row.append(cell); return row; };
    const seen = rows.slice(from, from + count).map(row => {
      const line = element("tr");
      line.append(...whereItIs(columns.map(column => cellOf(row, column)), nameCell(row[0], about.events ? name => name : shortName)));
      line.setAttribute("aria-selected", idOf(row) === selected);
      line.addEventListener("click", () => choose(row));
      return line;
    });
    body.replaceChildren(space(from * rowHeight()), ...seen, space(Math.max(0, rows.length - from - seen.length) * rowHeight()));
  }
  function cellOf(row, column) {
    const found = row[column.at];
    if (column.unit in cells) return cells[column.unit](found);
    const cell = element("td", label(column.unit, found), { className: column.unit === "text" ? "text" : column.unit });
    if (found === 0) cell.classList.add("dim");
    if (column.unit === "share") cell.style.setProperty("--w", (found || 0) + "%");
    if (column.unit === "text") cell.title = cell.textContent;
    if (column.unit[0] === "+" && found) cell.className = found > 0 ? "more" : "less";
    return cell;
  }
  function choose(row, open = true) {
    selected = idOf(row);
    draw(true);
    if (open) opened(row[0]);
  }
  function move(step) {
    if (!rows.length) return;
    const at = Math.max(0, Math.min(rows.length - 1, rows.findIndex(row => idOf(row) === selected) + step));
    const top = at * rowHeight(), room = scroll.clientHeight - 2 * rowHeight();
    if (top < scroll.scrollTop || top > scroll.scrollTop + room) scroll.scrollTop = Math.max(0, top - room / 2);
    choose(rows[at], false);
  }

  box.addEventListener("input", () => {
    link.set(name + ".filter", box.value);
    scroll.scrollTop = 0;
    asked ? asked({ order, filter: box.value }) : filter();
  });
  scroll.addEventListener("scroll", () => draw(false));
  const arranged = () => { heads(); draw(true); };
  narrow.addEventListener("change", arranged);
  take();
  return {
    section,
    shown: () => draw(true),
    arranged,
    update: next => { about = next; take(); },
    asks: () => ({ order, filter: box.value }),
    keys: {
      "/": ["filter the table", () => box.focus()],
      "s": ["sort by the next column", () => nextColumn(1)],
      "S": ["sort by the column before", () => nextColumn(-1)],
      "r": ["reverse the order", () => columnOf(order.by) && sortBy(columnOf(order.by), !order.down)],
      "j": ["choose the next row", () => move(1)],
      "k": ["choose the row before", () => move(-1)],
      "Enter": ["show the chosen row in the flame graph", () => selected !== null && opened(rows.find(row => idOf(row) === selected)?.[0] ?? "")],
    },
  };
}
