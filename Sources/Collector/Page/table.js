// A table of any length. Only the rows in sight, and a few beside them, have elements. Only a text that changed is
// written.

import { element, setAttribute, setText } from "./dom.js";

const SPARE_ROWS = 3;
let tables = 0;

/**
 * A column is { id, title, help, class, cell(node) -> update(row), sort(row) -> value, descends, csv(row) -> value,
 * csvTitle }. A column whose `descends` is false sorts upwards at the first press.
 *
 * A row { group, count } is a heading between rows.
 */
export class Table {
  constructor({ label, name, columns, rowHeight = 28, href, keyOf, describe, sorted, onSort, copy }) {
    Object.assign(this, { columns, rowHeight, href, keyOf, onSort, copy });
    this.id = `table${(tables += 1)}`;
    this.rows = [];
    this.pool = [];
    this.active = -1;
    this.sorted = sorted ?? { id: null, descending: true };
    this.header = element("div", { class: "row header", attributes: { role: "row", "aria-rowindex": 1 } });
    this.headings = columns.map((column) => this.makeHeading(column));
    this.header.append(...this.headings);
    this.body = element("div", { class: "rows", attributes: { role: "rowgroup" } });
    this.node = element(
      "div",
      {
        class: `table ${name}`,
        attributes: { role: "grid", tabindex: 0, "aria-label": label, "aria-describedby": describe },
        on: {
          scroll: () => this.place(),
          keydown: (event) => this.onKey(event),
          focus: () => this.active < 0 && this.activate(this.nearest(0, 1)),
          pointerenter: () => (this.isPointedAt = true),
          pointerleave: () => (this.isPointedAt = false),
        },
      },
      element("div", { attributes: { role: "rowgroup" } , class: "head" }, this.header), this.body);
    this.observer = new ResizeObserver(() => this.place());
    this.observer.observe(this.node);
  }

  destroy() {
    this.observer.disconnect();
  }

  makeHeading(column) {
    const heading = element("div", {
      class: `cell ${column.class ?? ""}`, attributes: { role: "columnheader", title: column.help },
    });
    if (!column.sort) {
      heading.textContent = column.title;
      return heading;
    }
    heading.append(element("button", {
      class: "sort", text: column.title, attributes: { type: "button" },
      on: { click: () => this.sortBy(column) },
    }));
    setAttribute(heading, "aria-sort", this.ariaSort(column));
    return heading;
  }

  ariaSort(column) {
    if (column.id !== this.sorted.id) return "none";
    return this.sorted.descending ? "descending" : "ascending";
  }

  sortBy(column) {
    // The first press sorts, the second reverses the order, and the third restores the original order. If the table is
    // sorted by this column from the start, the first press reverses the order.
    const first = column.descends !== false;
    if (this.sorted.id !== column.id) this.sorted = { id: column.id, descending: first };
    else if (this.sorted.descending === first) this.sorted = { id: column.id, descending: !first };
    else this.sorted = { id: null, descending: true };
    this.columns.forEach((each, index) => each.sort && setAttribute(this.headings[index], "aria-sort", this.ariaSort(each)));
    this.onSort?.(this.sorted);
  }

  /** Returns whether the order may change now. Rows do not move while the pointer or the focus is on the table. */
  get mayReorder() {
    return !this.isPointedAt && document.activeElement !== this.node;
  }

  /** Returns the rows sorted by the chosen column. Rows without a value come last. */
  order(rows) {
    const column = this.columns.find((each) => each.id === this.sorted.id);
    if (!column) return rows;
    const sign = this.sorted.descending ? -1 : 1;
    const keyed = rows.map((row, index) => ({ row, index, value: column.sort(row) }));
    keyed.sort((a, b) => {
      const [noA, noB] = [a.value === null || a.value === undefined, b.value === null || b.value === undefined];
      if (noA || noB) return noA - noB || a.index - b.index;
      const difference = typeof a.value === "string" ? a.value.localeCompare(b.value) : a.value - b.value;
      return sign * difference || a.index - b.index;
    });
    return keyed.map(({ row }) => row);
  }

  setRows(rows) {
    const key = this.rows[this.active] && this.keyOf(this.rows[this.active]);
    this.rows = rows;
    this.active = key === undefined ? -1 : rows.findIndex((row) => !row.group && this.keyOf(row) === key);
    this.body.style.height = `${rows.length * this.rowHeight}px`;
    setAttribute(this.node, "aria-rowcount", rows.length + 1);
    for (const slot of this.pool) slot.index = -1;
    this.place();
  }

  /** Places the row elements where the reader has scrolled to, and fills them. */
  place() {
    const { clientHeight, scrollTop } = this.node;
    const first = Math.max(0, Math.floor(scrollTop / this.rowHeight) - SPARE_ROWS);
    const end = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / this.rowHeight) + SPARE_ROWS);
    const wanted = end - first;
    while (this.pool.length < wanted) this.pool.push(this.makeSlot());
    // A row keeps its element while it stays in sight.
    const length = this.pool.length;
    const held = new Set();
    for (let index = first; index < end; index += 1) {
      const slot = this.pool[index % length];
      held.add(slot);
      if (slot.index !== index) {
        slot.index = index;
        slot.node.style.transform = `translateY(${index * this.rowHeight}px)`;
        setAttribute(slot.node, "aria-rowindex", index + 2);
        slot.node.hidden = false;
        this.fill(slot);
      }
    }
    for (const slot of this.pool) {
      if (held.has(slot)) continue;
      slot.index = -1;
      if (!slot.node.hidden) slot.node.hidden = true;
    }
    this.mark();
  }

  /** Writes the figures of the rows in sight anew. */
  refresh() {
    for (const slot of this.pool) if (slot.index >= 0) this.fill(slot);
  }

  makeSlot() {
    const slot = { index: -1 };
    const cells = this.columns.map((column) => element("div", { class: `cell ${column.class ?? ""}`, attributes: { role: "gridcell" } }));
    slot.heading = element("div", { class: "cell group", attributes: { role: "gridcell", hidden: true, "aria-colspan": this.columns.length } });
    slot.cells = cells;
    slot.updates = cells.map((node, index) => this.columns[index].cell(node));
    slot.node = element(
      "div",
      {
        class: "row", attributes: { role: "row", id: `${this.id}-${this.pool.length}` },
        on: {
          click: (event) => {
            const row = this.rows[slot.index];
            if (!row || row.group || event.target.closest("a, button") || getSelection().toString()) return;
            this.activate(slot.index);
            this.open(row);
          },
        },
      },
      slot.heading, ...cells);
    this.body.append(slot.node);
    return slot;
  }

  fill(slot) {
    const row = this.rows[slot.index];
    const isGroup = row.group !== undefined;
    if (slot.isGroup !== isGroup) {
      slot.isGroup = isGroup;
      slot.heading.hidden = !isGroup;
      for (const cell of slot.cells) cell.hidden = isGroup;
      slot.node.classList.toggle("grouping", isGroup);
    }
    if (isGroup) setText(slot.heading, `${row.group} (${row.count})`);
    else for (const update of slot.updates) update(row);
  }

  open(row) {
    const target = this.href?.(row);
    if (target) location.hash = target;
  }

  nearest(index, step) {
    let place = index;
    while (this.rows[place]?.group) place += step;
    return this.rows[place] ? place : -1;
  }

  activate(index) {
    if (index < 0) return;
    this.active = index;
    const top = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.node;
    const visible = clientHeight - this.header.offsetHeight;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + this.rowHeight > scrollTop + visible) this.node.scrollTop = top + this.rowHeight - visible;
    this.place();
  }

  mark() {
    let id = null;
    for (const slot of this.pool) {
      const isActive = slot.index >= 0 && slot.index === this.active;
      slot.node.classList.toggle("active", isActive);
      setAttribute(slot.node, "aria-selected", isActive ? "true" : null);
      if (isActive) id = slot.node.id;
    }
    setAttribute(this.node, "aria-activedescendant", id);
  }

  get activeRow() {
    const row = this.rows[this.active];
    return row && !row.group ? row : null;
  }

  onKey(event) {
    if (event.target !== this.node || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.node.clientHeight / this.rowHeight) - 2);
    const last = this.rows.length - 1;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (event.key in steps) {
      const step = steps[event.key];
      const wanted = Math.min(last, Math.max(0, this.active + step));
      const found = this.nearest(wanted, Math.sign(step));
      this.activate(found >= 0 ? found : this.nearest(wanted, -Math.sign(step)));
    } else if (event.key === "Home") this.activate(this.nearest(0, 1));
    else if (event.key === "End") this.activate(this.nearest(last, -1));
    else if (event.key === "Enter" && this.activeRow) this.open(this.activeRow);
    else if (event.key === "c" && this.activeRow) this.copy?.(this.activeRow);
    else return;
    event.preventDefault();
  }
}

/** Returns a column's `cell`, which shows a number and its unit. Each has its own place, so the column aligns both. */
export function figureCell(read) {
  return (node) => {
    const number = element("span", { class: "number" });
    const unit = element("span", { class: "unit" });
    node.append(number, unit);
    return (row) => {
      const shown = read(row);
      setText(number, shown.number);
      setText(unit, shown.unit);
    };
  };
}

export function textCell(read) {
  return (node) => (row) => setText(node, read(row));
}
