// The table of instruments. It shows those of one bot by plane, or those of all bots with the slowest first.

import { magnitude, Sparkline } from "./chart.js";
import { copyRow, csv, download } from "./csv.js";
import { element, setAttribute, setClass, setName, setText } from "./dom.js";
import { matches, parseSearch } from "./filter.js";
import { Past, STORED_PERCENTILES } from "./history.js";
import { planeNames } from "./model.js";
import { seriesAddress } from "./router.js";
import { figureCell, Table, textCell } from "./table.js";
import { baseValue, count, figure, percentileName, rate } from "./units.js";
import { seriesTrust, usualOf } from "./words.js";

const KINDS = [["histogram", "Latencies and values"], ["counter", "Counters"], ["gauge", "Gauges"]];
const REORDER_MILLISECONDS = 5000;

const kindOf = ({ metric }) => (metric.kind === "up_down_counter" ? "gauge" : metric.kind);

export class SeriesTable {
  /** `bot` is the name of the bot whose series are shown. With null, the table shows the series of all bots. */
  constructor(context, bot = null) {
    this.context = context;
    this.bot = bot;
    this.past = new Past(() => this.table?.refresh());
    this.counts = element("span", { class: "count" });
    this.kinds = element("div", { class: "segments", attributes: { role: "group", "aria-label": "Kind of instrument" } });
    this.kindButtons = KINDS.map(([kind, title]) => {
      const button = element("button", { attributes: { type: "button" }, text: title, on: { click: () => this.wish({ kind: kind === "histogram" ? "" : kind, sort: "" }) } });
      this.kinds.append(button);
      return button;
    });
    this.export = element("button", { class: "quiet", text: "Export CSV", attributes: { type: "button" }, on: { click: () => this.exportRows() } });
    this.holder = element("div", { class: "table-holder" });
    this.node = element("section", { class: "series", attributes: { "aria-label": "Instruments" } },
      element("div", { class: "bar" }, this.kinds, this.counts, this.export), this.holder);
  }

  destroy() {
    this.table?.destroy();
    this.past.stop();
  }

  wish(changes) {
    this.context.router.wish(changes);
    this.update(true);
  }

  get kind() {
    const wanted = this.context.router.query.get("kind");
    return KINDS.some(([kind]) => kind === wanted) ? wanted : "histogram";
  }

  /**
   * Makes a new table if the columns change. They change with the kind of instrument and with the collector's
   * percentiles.
   */
  build() {
    const { fleet, router } = this.context;
    const layout = `${this.kind} ${fleet.percentiles} ${this.bot}`;
    if (layout === this.layout) return;
    this.layout = layout;
    this.table?.destroy();
    this.columns = this.makeColumns();
    const [id, direction] = (router.query.get("sort") ?? "").split("-");
    const standard = this.bot === null && this.kind === "histogram" ? this.slowColumn : null;
    this.table = new Table({
      label: `${KINDS.find(([kind]) => kind === this.kind)[1]}${this.bot === null ? " of all bots" : ` of ${this.bot}`}`,
      name: `series-table ${this.kind} ${this.bot === null ? "all" : "one"}`, columns: this.columns,
      href: (series) => seriesAddress(series, router.query), keyOf: (series) => `${series.bot.name} ${series.key}`,
      sorted: this.columns.some((column) => column.id === id) ? { id, descending: direction !== "up" } : { id: standard, descending: true },
      onSort: (sorted) => {
        router.wish({ sort: sorted.id ? `${sorted.id}-${sorted.descending ? "down" : "up"}` : "" });
        this.arrange();
      },
      copy: (series) => copyRow(this.columns, series),
    });
    this.holder.replaceChildren(this.table.node);
    this.empty = element("p", { class: "empty", text: "No instrument matches the search.", attributes: { hidden: true } });
    this.holder.append(this.empty);
  }

  get slowColumn() {
    const { percentiles } = this.context.fleet;
    return percentiles.includes("p99") ? "p99" : percentiles.at(-1);
  }

  update(isStructural) {
    const kinds = this.kind;
    KINDS.forEach(([kind], index) => setAttribute(this.kindButtons[index], "aria-pressed", kind === kinds));
    this.build();
    const { fleet, router } = this.context;
    const state = `${router.query.get("q")} ${this.context.span} ${fleet.structure} ${this.layout}`;
    const isDue = performance.now() - (this.arranged ?? 0) > REORDER_MILLISECONDS && this.table.mayReorder && this.table.sorted.id;
    if (isStructural || state !== this.state || isDue) {
      this.state = state;
      this.arrange();
    } else {
      this.table.refresh();
    }
  }

  arrange() {
    const { fleet, router } = this.context;
    this.arranged = performance.now();
    const tests = parseSearch(router.query.get("q") ?? "");
    const all = this.bot === null ? [...fleet.allSeries()] : fleet.byName.get(this.bot)?.series ?? [];
    const ofKind = all.filter((series) => kindOf(series) === this.kind);
    const found = ofKind.filter((series) => matches(series, tests));
    let rows;
    if (this.table.sorted.id || this.bot === null) {
      // Without an order of the reader's, bots that are up come first, because the others have no figures.
      rows = this.table.order([...found].sort((a, b) => b.bot.data.up - a.bot.data.up));
    } else {
      rows = planeNames.flatMap((plane) => {
        const within = found.filter((series) => series.plane === plane);
        return within.length ? [{ group: plane, count: within.length }, ...within] : [];
      });
    }
    this.table.setRows(rows);
    this.empty.hidden = found.length > 0;
    this.empty.textContent = ofKind.length ? "No instrument matches the search." : "There is no instrument of this kind.";
    setText(this.counts, found.length === ofKind.length ? count(found.length) : `${count(found.length)} of ${count(ofKind.length)}`);
  }

  exportRows() {
    download(`ringside-${this.bot ?? "fleet"}-${this.kind}-${this.context.span}.csv`.replace(/[^\w.-]/g, "_"), csv(this.columns, this.table.rows));
  }

  window(series) {
    return series.metric.windows[this.context.span];
  }

  makeColumns() {
    const columns = [{
      id: "name", title: "Instrument", class: "first", cell: instrumentCell(this.context), descends: false,
      sort: (series) => `${series.metric.name} ${series.labelText}`, csv: (series) => series.metric.name,
    }];
    if (this.bot === null) {
      columns.push({
        id: "bot", title: "Bot", class: "bot", descends: false, sort: (series) => series.bot.name, csv: (series) => series.bot.name,
        cell: (node) => {
          const name = element("bdi");
          node.append(name);
          return (series) => setName(name, series.bot.name);
        },
      });
    }
    columns.push({ id: "labels", title: "Labels", class: "never", cell: () => () => {}, csv: (series) => series.labelText });
    columns.push({ id: "unit", title: "Unit", class: "never", cell: () => () => {}, csv: (series) => series.metric.unit });
    columns.push(...{ histogram: () => this.histogramColumns(), counter: () => this.counterColumns(), gauge: () => this.gaugeColumns() }[this.kind]());
    columns.push({
      id: "data", title: "Data", class: "data", help: "Whether the figures of the window can be believed",
      csv: (series) => seriesTrust(series, this.context.span).words,
      cell: (node) => (series) => {
        const { words, tone } = seriesTrust(series, this.context.span);
        setText(node, words);
        setClass(node, `cell data ${tone}`);
      },
    });
    return columns;
  }

  valueColumn(id, title, read, name = "", help) {
    return {
      id, title, class: `figure ${name}`, help, sort: (series) => baseValue(read(series) ?? null, series.metric.unit),
      csv: (series) => read(series), cell: figureCell((series) => figure(read(series), series.metric.unit)),
    };
  }

  rateColumn(name = "") {
    const read = (series) => this.window(series)?.rate ?? null;
    return { id: "rate", title: "Rate", class: `figure rate ${name}`, sort: read, csv: read, csvTitle: "per second", cell: figureCell((series) => rate(read(series))) };
  }

  histogramColumns() {
    const { fleet } = this.context;
    const slow = this.slowColumn;
    const columns = [this.rateColumn()];
    for (const key of fleet.percentiles) {
      const column = this.valueColumn(key, percentileName(key), (series) => this.window(series)?.[key] ?? null, `percentile ${key === slow ? "slow" : "side"}`);
      // Only durations can be ranked by slowness. Among all bots, other values come after them.
      const value = column.sort;
      if (this.bot === null) column.sort = (series) => (series.isDuration ? value(series) : null);
      if (key === slow) column.cell = barCell(column.cell, (series) => (series.isDuration ? value(series) : null));
      columns.push(column);
    }
    columns.push(this.valueColumn("max", "Max", (series) => this.window(series)?.max ?? null, "side"));
    columns.push({
      id: "usual", title: `${percentileName(slow)} vs usual`, class: "usual", help: "Against the level that is usual at this time of day",
      sort: (series) => usualOf(series, slow).factor ?? null, csv: (series) => usualOf(series, slow).factor ?? "", cell: usualCell(slow),
    });
    columns.push({
      id: "trail", title: `${percentileName(slow)}, 10 min`, class: "trail",
      help: `${percentileName(slow)} over ${fleet.trailSpan} since this page listens${STORED_PERCENTILES.includes(slow) ? ", and before that of each minute" : ""}; marks below are windows with losses`,
      cell: (node) => {
        const spark = new Sparkline();
        node.append(spark.node);
        return (series) => {
          this.past.want(series, slow);
          spark.set(series.trail, fleet.percentiles.indexOf(slow), fleet.time, series.past);
        };
      },
    });
    return columns;
  }

  counterColumns() {
    return [
      this.rateColumn("slow"),
      this.valueColumn("increase", "Increase", (series) => this.window(series)?.increase ?? null, "side"),
      this.valueColumn("value", "Total", (series) => series.metric.value, "wide"),
      { id: "usual", title: "Rate vs usual", class: "usual", sort: (series) => usualOf(series, "rate").factor ?? null, cell: usualCell("rate"), csv: (series) => usualOf(series, "rate").factor ?? "" },
    ];
  }

  gaugeColumns() {
    return [
      this.valueColumn("value", "Value", (series) => series.metric.value, "slow wide"),
      this.valueColumn("low", "Lowest", (series) => this.window(series)?.min ?? null, "side wide"),
      this.valueColumn("high", "Highest", (series) => this.window(series)?.max ?? null, "side wide"),
      { id: "usual", title: "Value vs usual", class: "usual", sort: (series) => usualOf(series, "value").factor ?? null, cell: usualCell("value"), csv: (series) => usualOf(series, "value").factor ?? "" },
    ];
  }
}

/** Returns a column's `cell`, which shows an instrument's name as a link, and the values of its labels beside it. */
export function instrumentCell({ router }) {
  return (node) => {
    const link = element("a", { class: "name", attributes: { tabindex: -1 } });
    const labels = element("bdi", { class: "labels" });
    node.append(element("bdi", {}, link), labels);
    return (series) => {
      setName(link, series.metric.name);
      setName(labels, series.labels.map(([, value]) => value).join(" \u00b7 "));
      setAttribute(labels, "title", series.labelText);
      setAttribute(link, "href", seriesAddress(series, router.query));
    };
  };
}

/** Returns a column's `cell`, which shows a figure over a bar of its magnitude. */
export function barCell(inner, read) {
  return (node) => {
    const bar = element("span", { class: "magnitude" });
    node.append(bar);
    const update = inner(node);
    let shown = -1;
    return (row) => {
      update(row);
      const share = Math.round(magnitude(read(row)) * 100);
      if (share === shown) return;
      shown = share;
      // The unit behind the number has 29 px of its own, and no bar.
      bar.style.width = `calc((100% - 29px) * ${share / 100})`;
    };
  };
}

function usualCell(statistic) {
  return (node) => (series) => {
    const { words, tone, title } = usualOf(series, statistic);
    setText(node, words);
    setAttribute(node, "title", title);
    setClass(node, `cell usual ${tone}`);
  };
}
