// The view of one instrument. It shows the percentiles now and over time, and the distribution. It compares them with
// another range, version or bot.

import { Facts, fillRows, showChips } from "./bot.js";
import { Histogram, PercentileChart, TimeChart } from "./chart.js";
import { copy } from "./csv.js";
import { element, name, setAttribute, setText, visible } from "./dom.js";
import { ask, askExemplars, askListing, askWhole, isFlawed, STORED_PERCENTILES, stepFor } from "./history.js";
import { labelsKey, planeOf } from "./model.js";
import { announce } from "./notice.js";
import { address, botAddress, carried, seriesAddress } from "./router.js";
import { count, figure, moment, percentileName, quantileOf, rateText, share, text } from "./units.js";
import { list, plural, seriesTrust, usualOf } from "./words.js";

const RANGES = [["live", "10 min", 600], ["1h", "1 hour", 3600], ["24h", "24 hours", 86400], ["7d", "7 days", 604800], ["30d", "30 days", 2592000]];
const REFRESH_MILLISECONDS = 15_000;
const MOST_SERIES_FOR_EXEMPLARS = 1500;
const SETTLING_SECONDS = 120;   // After this time, the history has all of a minute.

export class InstrumentView {
  constructor(context, bot, metric) {
    this.context = context;
    this.botName = bot;
    this.metricName = metric;
    const { query } = context.router;
    this.labels = Object.fromEntries([...query].filter(([key]) => key.startsWith("label.")).map(([key, value]) => [key.slice(6), value]));
    this.lane = query.get("lane") ?? "";
    // An address may have fewer labels than the series. If only one series fits, the address means that series.
    this.fitting = this.series ? [] : this.seriesThatFit();
    if (this.fitting.length === 1) [this.labels, this.lane] = [this.fitting[0].metric.labels, this.fitting[0].metric.lane ?? ""];
    this.exemplars = [];
    this.history = null;
    this.now = element("tbody");
    this.nowHead = element("tr");
    this.facts = new Facts();
    this.choices = element("ul", { class: "choices" }, ...(this.fitting.length > 1 ? this.fitting.map((series) => this.choice(series)) : []));
    this.chips = element("p", { class: "chips" });
    this.rangeButtons = RANGES.map(([id, title]) => element("button", {
      text: title, attributes: { type: "button", "data-range": id }, on: { click: () => this.wish({ range: id === "live" ? "" : id, from: "", to: "" }) },
    }));
    this.against = element("select", { attributes: { id: "against" }, on: { change: (event) => this.wish({ vs: event.target.value }) } });
    this.rangeWords = element("p", { class: "range-words" });
    this.reading = element("p", { class: "reading" });
    this.readingWords = "Drag in the picture to pick a range; with Shift, the range to compare with.";
    this.doubts = element("p", { class: "doubts", attributes: { role: "status" } });
    this.chart = new TimeChart({
      label: `${metric} over time`, className: "time", onPick: (from, to, isSecond) => this.pick(from, to, isSecond),
      onRead: (time) => this.read(time), onDot: (dot, isPressed = true) => this.showTrace(dot, isPressed),
    });
    this.byPercentile = new PercentileChart({ label: `${metric} by percentile` });
    this.histogram = new Histogram({ label: `${metric}: distribution of values` });
    this.comparison = element("tbody");
    this.comparisonHead = element("tr");
    this.comparisonPart = element("section", { class: "panel", attributes: { hidden: true } },
      element("h2", { text: "Comparison" }), element("div", { class: "scroller", attributes: { tabindex: 0, role: "region", "aria-label": "Comparison" } },
        element("table", { class: "plain comparison" }, element("thead", {}, this.comparisonHead), this.comparison)),
      element("p", { class: "hint", text: "Whether a difference is more than chance: ringside history --compare prints its 95 % interval." }));
    this.legend = element("p", { class: "legend" });
    this.exemplarRows = element("tbody");
    this.exemplarNote = element("p", { class: "hint" });
    this.exemplarButton = element("button", { class: "quiet", text: "Load exemplars", attributes: { type: "button", hidden: true }, on: { click: () => this.loadExemplars() } });
    this.tables = {
      time: new Behind("Percentiles over time"), percentile: new Behind("Value by percentile"), histogram: new Behind("Values by bucket"),
    };
    this.distributions = element("div", { class: "pair" },
      element("section", { class: "panel" }, element("h2", { text: "Value by percentile" }), this.byPercentile.node, this.tables.percentile.node),
      element("section", { class: "panel" }, element("h2", { text: "Distribution" }), this.histogram.node, this.tables.histogram.node));
    this.exemplarPart = element("section", { class: "panel", attributes: { hidden: true } },
      element("div", { class: "bar" }, element("h2", { text: "Exemplars" }), this.exemplarButton), this.exemplarNote,
      element("div", { class: "scroller low", attributes: { tabindex: 0, role: "region", "aria-label": "Exemplars" } }, element("table", { class: "plain exemplars" }, element("thead", {}, element("tr", {}, ...["Value", "Time", "Trace"].map((title) => element("th", { text: title, attributes: { scope: "col" } })))), this.exemplarRows)));
    this.timeTitle = element("h2", { text: "Over time" });
    this.node = element("div", { class: "view instrument" },
      element("header", { class: "heading" },
        element("p", { class: "crumbs" }, (this.botLink = element("a", {}, name(bot))), ` / ${planeOf(metric)}`),
        element("h1", {}, name(metric, { length: 400 })), this.chips),
      this.facts.node, this.choices,
      (this.nowPart = element("div", { class: "scroller", attributes: { tabindex: 0, role: "region", "aria-label": "Figures now" } }, element("table", { class: "plain now" },
        element("caption", { class: "offscreen", text: "Figures of each window; press one to copy it" }), element("thead", {}, this.nowHead), this.now))),
      element("section", { class: "panel" },
        element("div", { class: "bar" }, this.timeTitle,
          element("div", { class: "segments", attributes: { role: "group", "aria-label": "Range" } }, ...this.rangeButtons),
          element("label", { class: "against", attributes: { for: "against" } }, "compare with ", this.against)),
        this.rangeWords, this.doubts, this.chart.node, this.reading, this.tables.time.node),
      this.comparisonPart, this.legend, this.distributions, this.exemplarPart);
    this.say();
    this.loadVersions();
  }

  destroy() {
    this.abort?.abort();
    for (const chart of [this.chart, this.byPercentile, this.histogram]) chart.destroy();
  }

  // ---------------------------------------------------------------- what is asked for

  wish(changes) {
    this.context.router.wish(changes);
    this.chart.read(null);
    this.load();
    this.draw();
  }

  get range() {
    const { query } = this.context.router;
    const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
    if (from > 0 && to > from) return { id: "picked", from, to, seconds: to - from };
    const [id, title, seconds] = RANGES.find(([each]) => each === query.get("range")) ?? RANGES[0];
    const now = this.context.fleet.time;
    return { id, title, from: now - seconds, to: now, seconds };
  }

  get isLive() {
    return this.range.id === "live";
  }

  pick(from, to, isSecond) {
    if (isSecond) return this.wish({ vs: `${Math.floor(from)}~${Math.ceil(to)}` });
    this.wish({ from: String(Math.floor(from)), to: String(Math.ceil(to)), range: "" });
    announce(`Range of ${moment(from)} to ${moment(to)}`);
  }

  /** Returns the bot's series of this name that have at least the labels and the lane of the address. */
  seriesThatFit() {
    return (this.context.fleet.byName.get(this.botName)?.series ?? []).filter(({ metric }) => metric.name === this.metricName
      && Object.entries(this.labels).every(([label, value]) => metric.labels[label] === value) && (!this.lane || metric.lane === this.lane));
  }

  choice(series) {
    const words = series.labels.map(([label, value]) => `${label}=${value}`).join(" ") || "without labels";
    return element("li", {}, element("a", { attributes: { href: seriesAddress(series, this.context.router.query) } }, name(words)));
  }

  get series() {
    const bot = this.context.fleet.byName.get(this.botName);
    const wanted = labelsKey(this.labels);
    return bot?.series.find(({ metric }) => metric.name === this.metricName && labelsKey(metric.labels) === wanted && (!this.lane || metric.lane === this.lane)) ?? null;
  }

  get kind() {
    return this.series?.metric.kind ?? this.history?.series[0]?.kind ?? "histogram";
  }

  get unit() {
    return this.series?.metric.unit ?? this.history?.series[0]?.unit ?? "";
  }

  get constantLabels() {
    const { version } = this.context.fleet.byName.get(this.botName)?.data.labels ?? {};
    return version ? { version } : {};
  }

  /** The query to the history for the range that is shown. `otherQuestion` is the query for the comparison. */
  get question() {
    const { from, to } = this.range;
    return { metric: this.metricName, bot: this.botName, labels: { ...this.constantLabels, ...this.labels }, from, to };
  }

  get otherQuestion() {
    const wish = this.context.router.query.get("vs") ?? "";
    const own = this.question;
    const length = own.to - own.from;
    const shifted = (seconds, title) => ({ ...own, from: own.from - seconds, to: own.to - seconds, shift: seconds, title });
    if (wish === "before") return shifted(length, "the range before");
    if (wish === "1d") return shifted(86400, "a day earlier");
    if (wish === "7d") return shifted(604800, "a week earlier");
    const [, start, end] = /^(\d+)~(\d+)$/.exec(wish) ?? [];
    if (end) return { ...own, from: Number(start), to: Number(end), shift: own.from - Number(start), title: `${moment(Number(start))} to ${moment(Number(end))}`, isPicked: true };
    if (wish.startsWith("version:")) return { ...own, labels: { ...own.labels, version: wish.slice(8) }, shift: 0, title: `version ${wish.slice(8)}` };
    if (wish.startsWith("bot:")) {
      const other = this.context.fleet.byName.get(wish.slice(4));
      const twin = other?.series.find(({ metric }) => metric.name === this.metricName && differOnlyInSymbol(metric.labels, this.labels))
        ?? other?.series.find(({ metric }) => metric.name === this.metricName);
      return { ...own, bot: wish.slice(4), labels: twin ? twin.metric.labels : {}, shift: 0, title: wish.slice(4) };
    }
    return null;
  }

  async loadVersions() {
    this.versions = [];
    this.showChoices();
    try {
      const listed = await askListing(this.botName);
      const known = new Set(listed.filter(({ metric }) => metric === this.metricName).map(({ labels }) => labels.version).filter(Boolean));
      known.delete(this.constantLabels.version);
      this.versions = [...known].sort();
      this.showChoices();
    } catch {
      // Without the list of stored versions, the other choices remain.
    }
  }

  showChoices() {
    const wish = this.context.router.query.get("vs") ?? "";
    const others = this.context.fleet.bots.filter((bot) => bot.name !== this.botName && bot.series.some(({ metric }) => metric.name === this.metricName)).slice(0, 60);
    const choices = [["", "nothing"], ["before", "the range before"], ["1d", "a day earlier"], ["7d", "a week earlier"],
      ...this.versions.map((version) => [`version:${version}`, `version ${version}`]), ...others.map((bot) => [`bot:${bot.name}`, `bot ${bot.name}`])];
    if (wish && !choices.some(([id]) => id === wish)) choices.push([wish, this.otherQuestion?.title ?? wish]);
    const shown = JSON.stringify(choices);
    if (shown !== this.shownChoices) {
      this.shownChoices = shown;
      this.against.replaceChildren(...choices.map(([id, title]) => element("option", { text: visible(title).slice(0, 60), attributes: { value: id } })));
    }
    this.against.value = wish;
  }

  // ---------------------------------------------------------------- loading

  async load() {
    this.abort?.abort();
    const { signal } = (this.abort = new AbortController());
    this.loadedAt = performance.now();
    this.loadedTime = this.context.fleet.time;
    const question = this.question;
    const other = this.otherQuestion;
    const step = stepFor(question.to - question.from);
    this.loaded = JSON.stringify([this.range.id, other?.title]);
    try {
      const isHistogram = this.kind === "histogram";
      const [main, whole, ghost, otherWhole] = await Promise.all([
        ask({ ...question, step }, signal),
        isHistogram ? askWhole(question, signal) : null,
        other ? ask({ ...other, step: stepFor(other.to - other.from) }, signal) : null,
        other && isHistogram ? askWhole(other, signal) : null,
      ]);
      Object.assign(this, { history: main, step, whole, ghost, other, otherWhole, failure: null });
    } catch (error) {
      if (error.name === "AbortError") return;
      this.failure = error.message;
    }
    if (this.context.fleet.isEmpty) return;
    this.draw();
  }

  async loadExemplars() {
    this.exemplarsAt = performance.now();
    try {
      this.exemplars = await askExemplars(this.metricName, this.botName, this.labels);
    } catch {
      return;
    }
    this.drawExemplars();
  }

  // ---------------------------------------------------------------- what is shown

  update(isStructural) {
    const { fleet, router } = this.context;
    setAttribute(this.botLink, "href", botAddress(this.botName, router.query));
    // A range of the past does not change, so it is loaded again only after a failure.
    const isPast = this.range.id === "picked" && this.range.to + SETTLING_SECONDS < this.loadedTime && !this.failure;
    const isOld = performance.now() - this.loadedAt > REFRESH_MILLISECONDS && !isPast;
    if (!this.loaded || isOld || (isStructural && this.loaded !== JSON.stringify([this.range.id, this.otherQuestion?.title]))) this.load();
    if (isStructural) this.showChoices();
    this.showNow();
    const isMany = fleet.bots.reduce((sum, bot) => sum + bot.series.length, 0) > MOST_SERIES_FOR_EXEMPLARS;
    const isHistogram = this.kind === "histogram";
    this.exemplarPart.hidden = !isHistogram;
    this.exemplarButton.hidden = !isMany;
    setText(this.exemplarNote, this.exemplars.length ? "The latest value of each bucket that carried a trace id. Press one to copy it; ringside tail --trace shows all its records."
      : isMany ? "Exemplars are read from /metrics, which is large here." : "No value of this instrument carried a trace id.");
    if (isHistogram && !isMany && performance.now() - (this.exemplarsAt ?? -Infinity) > REFRESH_MILLISECONDS) this.loadExemplars();
    if (this.isLive || isStructural) this.draw();
  }

  showNow() {
    const { fleet, span } = this.context;
    const series = this.series;
    showChips(this.chips, { ...this.labels, ...(this.lane ? { lane: this.lane } : {}) });
    this.nowPart.hidden = !series;
    if (!series) {
      this.facts.set([["Now", this.fitting.length > 1 ? `${plural(this.fitting.length, "series", "series")} of ${this.botName} fit this address; the pictures show them together. Choose one:`
        : "The collector has no such instrument now; its stored minutes are below.", "warn"]]);
      this.nowHead.replaceChildren();
      fillRows(this.now, []);
      return;
    }
    const { metric } = series;
    const trust = seriesTrust(series, span);
    const slow = fleet.percentiles.includes("p99") ? "p99" : fleet.percentiles.at(-1);
    const statistic = { histogram: slow, counter: "rate" }[metric.kind] ?? "value";
    const usual = usualOf(series, statistic);
    const objectives = this.objectives;
    this.facts.set([
      [`Data of ${span}`, trust.words, trust.tone],
      [`${statistic === slow ? percentileName(slow) : statistic} against usual`, usual.title ? `${usual.words} (${usual.title})` : usual.words, usual.tone],
      ["Objective", objectives.length ? objectives.map((each) => `${each.objective}: ${share(each.target, 3)} within ${text(each.threshold, metric.unit)}, ${each.state.replaceAll("_", " ")}`).join("; ") : "none", objectives.some((each) => each.state === "violated") ? "warn" : ""],
      ["Kind", `${metric.kind.replaceAll("_", " ")}${metric.unit ? ` of ${metric.unit}` : ""}`],
    ]);
    const rows = metric.kind === "histogram" ? this.histogramRows(metric) : metric.kind === "gauge" ? this.gaugeRows(metric) : this.counterRows(metric);
    const [head, ...body] = rows;
    const shownHead = head.join("|");
    if (shownHead !== this.shownHead) {
      this.shownHead = shownHead;
      this.nowHead.replaceChildren(...head.map((title) => element("th", { text: title, attributes: { scope: "col" } })));
    }
    this.showFigures(body);
  }

  /** Shows rows whose figures are buttons. A press on a button copies the figure with all its digits. */
  showFigures(rows) {
    while (this.now.rows.length > rows.length) this.now.deleteRow(-1);
    rows.forEach(([head, ...cells], index) => {
      const row = this.now.rows[index] ?? this.now.insertRow();
      if (!row.firstChild) row.append(element("th", { attributes: { scope: "row" } }));
      setText(row.firstChild, head);
      cells.forEach(({ value, shown, unit = "", tone, isText }, place) => {
        let cell = row.cells[place + 1];
        if (!cell) {
          cell = row.insertCell();
          cell.append(isText ? element("span") : element("button", {
            class: "figure copyable", attributes: { type: "button" },
            on: { click: (event) => copy(`${event.currentTarget.exact}`, event.currentTarget.textContent) },
          }, element("span", { class: "number" }), element("span", { class: "unit" })));
        }
        const inner = cell.firstChild;
        if (isText) {
          setText(inner, shown);
          setAttribute(inner, "class", tone);
          return;
        }
        inner.exact = value === null || value === undefined ? "" : `${value}${unit ? ` ${unit}` : ""}`;
        setText(inner.firstChild, shown.number);
        setText(inner.lastChild, shown.unit);
        setAttribute(inner, "title", inner.exact ? `Copy ${inner.exact}` : null);
        setAttribute(inner, "disabled", inner.exact ? null : "");
      });
    });
  }

  windowWords(window) {
    if (!window || window.complete === null) return { isText: true, shown: "no figures", tone: "calm" };
    if (window.lost > 0) return { isText: true, shown: `${count(window.lost)} lost`, tone: "bad" };
    return window.complete ? { isText: true, shown: "complete", tone: "quiet" } : { isText: true, shown: "incomplete", tone: "warn" };
  }

  histogramRows(metric) {
    const { spans, percentiles } = this.context.fleet;
    const cell = (value) => ({ value, shown: figure(value, metric.unit), unit: metric.unit });
    const plain = (value) => ({ value, shown: { number: count(value), unit: "" } });
    const row = (title, from, more) => [title, ...percentiles.map((key) => cell(from?.[key] ?? null)), cell(from?.max ?? null), cell(from?.min ?? null), plain(from?.count ?? null), more.rate, more.data];
    return [
      ["Window", ...percentiles.map(percentileName), "Max", "Min", "Count", "Rate", "Data"],
      ...spans.map((span) => row(span, metric.windows[span], { rate: rateCell(metric.windows[span]?.rate ?? null), data: this.windowWords(metric.windows[span]) })),
      row("All", metric, { rate: rateCell(null), data: { isText: true, shown: metric.coarse ? "partly coarse" : "since first seen", tone: "quiet" } }),
    ];
  }

  counterRows(metric) {
    const { spans } = this.context.fleet;
    const cell = (value) => ({ value, shown: figure(value, metric.unit), unit: metric.unit });
    return [
      ["Window", "Increase", "Rate", "Data"],
      ...spans.map((span) => [span, cell(metric.windows[span]?.increase ?? null), rateCell(metric.windows[span]?.rate ?? null), this.windowWords(metric.windows[span])]),
      ["All", cell(metric.value), rateCell(null), { isText: true, shown: "since first seen", tone: "quiet" }],
    ];
  }

  gaugeRows(metric) {
    const { spans } = this.context.fleet;
    const cell = (value) => ({ value: value ?? null, shown: figure(value ?? null, metric.unit), unit: metric.unit });
    return [
      ["Window", "Last", "Lowest", "Highest", "Data"],
      ...spans.map((span) => [span, cell(metric.windows[span]?.last), cell(metric.windows[span]?.min), cell(metric.windows[span]?.max), this.windowWords(metric.windows[span])]),
      ["Now", cell(metric.value), cell(null), cell(metric.max), { isText: true, shown: "highest of its life", tone: "quiet" }],
    ];
  }

  get objectives() {
    return (this.context.fleet.document?.slo ?? []).filter((each) => each.bot === this.botName && each.instrument === this.metricName && each.threshold !== null
      && Object.entries(each.labels).every(([label, value]) => this.labels[label] === value));
  }

  get thresholds() {
    const seen = new Map();
    for (const each of this.objectives) seen.set(each.threshold, { value: each.threshold, words: `${each.objective}: ${text(each.threshold, this.unit)}` });
    return [...seen.values()];
  }

  get percentiles() {
    const { percentiles } = this.context.fleet;
    return percentiles.length ? percentiles : STORED_PERCENTILES;
  }

  /** The collector's percentiles that the history keeps. If it keeps none of them, all that it keeps. */
  get storedPercentiles() {
    const both = this.percentiles.filter((key) => STORED_PERCENTILES.includes(key));
    return both.length ? both : STORED_PERCENTILES;
  }

  // ---------------------------------------------------------------- pictures

  /** Returns whether a range shows what this page received itself, second by second. */
  isFine(range) {
    return this.kind === "histogram" && Boolean(this.series?.trail) && (range.id === "live" || range.seconds <= 600);
  }

  /**
   * Returns the lines of the chart. Each has a name, a class, and the key of its value in a point of the history. For a
   * histogram, a fine chart has the lines in the order of the trail's values. Another has those of the history.
   */
  lineKinds(isFine) {
    if (this.kind === "histogram") {
      const keys = isFine ? this.percentiles : this.storedPercentiles;
      const last = keys.length - 1;
      return keys.map((key, index) => ({ key, name: percentileName(key), className: `p${Math.max(0, 3 - (last - index))}` }));
    }
    if (this.kind === "counter") return [{ key: "rate", name: "per second", className: "p2" }];
    return [{ key: "max", name: "highest", className: "p1" }, { key: "last", name: "last", className: "p2" }, { key: "min", name: "lowest", className: "p0" }];
  }

  draw() {
    if (this.context.fleet.isEmpty) return;
    const range = this.range;
    for (const button of this.rangeButtons) setAttribute(button, "aria-pressed", button.dataset.range === range.id);
    this.showChoices();
    const { from, to, lines, flaws, step } = this.timeData(range);
    const shift = this.other?.shift ?? 0;
    const ghosts = this.ghost && this.other ? this.ghostLines(shift) : [];
    const mark = this.other?.isPicked ? { from: this.other.from, to: this.other.to } : null;
    const dots = this.kind === "histogram" ? this.exemplars.map((each) => ({ ...each, words: `trace ${each.trace}: ${text(each.value, this.unit)} at ${moment(each.time)}` })) : [];
    this.shown = { lines, step, flaws };
    this.chart.set({ from, to, step, unit: this.unit, lines, ghosts, flaws, thresholds: this.thresholds, dots, mark, words: this.failure ?? "Nothing was recorded in this range yet." });
    this.sayRange(range, step, flaws);
    this.tables.time.set(() => this.timeTable());
    this.distributions.hidden = this.kind !== "histogram";
    if (this.kind === "histogram") this.drawDistributions();
    this.drawComparison();
    if (this.chart.cursor === null) this.say();
  }

  timeData(range) {
    const isFine = this.isFine(range);
    const kinds = this.lineKinds(isFine);
    const points = this.history?.series[0]?.points ?? [];
    const step = this.step ?? 60;
    // The trail has the samples that this page received itself, one a second. Earlier values come from the history, one
    // a step, which is at least a minute.
    const trail = isFine ? this.trailPoints(range) : { begin: Infinity, lines: kinds.map(() => []), flaws: [] };
    const stored = points.filter((point) => point.time + step <= trail.begin);
    const lines = kinds.map(({ key, name: title, className }, index) => ({
      name: title, className, points: [...stored.map((point) => [point.time + step / 2, point[key] ?? null]), ...trail.lines[index]],
    }));
    const flaws = [
      ...gapsOf(this.history?.unwatched ?? [], points, step, Math.min(trail.begin, range.to))
        .map((gap) => ({ ...gap, kind: "unwatched", words: `${moment(gap.from, false)} to ${moment(gap.to, false)}: not watched` })),
      ...stored.filter((point) => isFlawed(point, step)).map((point) => ({
        from: point.time, to: point.time + step, kind: "lossy",
        words: point.lost > 0 ? `${moment(point.time, false)}: ${plural(point.lost, "record")} lost` : `${moment(point.time, false)}: not watched throughout, or switched off`, lost: point.lost,
      })),
      ...trail.flaws,
    ];
    return { from: range.from, to: range.to, lines, flaws, step: isFine ? Math.max(step, 2) : step };
  }

  trailPoints(range) {
    const { fleet } = this.context;
    const { trail } = this.series;
    const lines = this.percentiles.map(() => []);
    const flaws = [];
    let begin = Infinity;
    let last = null;
    trail.forEach(range.to, range.seconds, (time, place) => {
      if (time > range.to) return;
      begin = Math.min(begin, time);
      // The page took no sample for more than 5 s: it was suspended or paused, or the bot was down. The line has a gap.
      if (last !== null && time - last > 5) for (const line of lines) line.push([last + 1, null]);
      lines.forEach((line, index) => line.push([time, trail.value(place, index)]));
      if (trail.flaws[place]) {
        const open = flaws.at(-1);
        if (open && time - open.to < 2) open.to = time;
        else flaws.push({ from: time - 1, to: time, kind: "lossy", words: `incomplete windows of ${fleet.trailSpan} from ${moment(time)} on` });
      }
      last = time;
    });
    return { begin, lines, flaws };
  }

  ghostLines(shift) {
    const step = stepFor(this.other.to - this.other.from);
    const points = this.ghost.series[0]?.points ?? [];
    const kinds = this.lineKinds(false);
    const shown = kinds.filter((_, index) => this.kind !== "histogram" || index === 0 || index === Math.min(2, kinds.length - 1));
    return shown.map(({ key, className }) => ({ className, points: points.map((point) => [point.time + step / 2 + shift, point[key] ?? null]) }));
  }

  sayRange(range, step, flaws) {
    const { fleet } = this.context;
    const resolution = this.isLive && this.kind === "histogram"
      ? `windows of ${fleet.trailSpan}, second by second, since this page listens; before that, minutes of the history`
      : `steps of ${stepWords(step)}`;
    const from = moment(range.from, false);
    const to = moment(range.to, false);
    setText(this.rangeWords, `${from} to ${to}, ${resolution}${range.id === "picked" ? " (picked: press a range above to leave it)" : ""}${this.missingWords(range)}`);
    const lossy = flaws.filter((flaw) => flaw.kind === "lossy");
    const lost = lossy.reduce((sum, flaw) => sum + (flaw.lost ?? 0), 0);
    const unwatched = flaws.filter((flaw) => flaw.kind === "unwatched").reduce((sum, flaw) => sum + Math.min(flaw.to, range.to) - Math.max(flaw.from, range.from), 0);
    const words = [
      this.failure ? `The history cannot be read: ${this.failure}` : "",
      lost > 0 ? `Hatched: ${plural(lost, "record")} lost` : lossy.length ? "Hatched: windows that are incomplete" : "",
      unwatched >= 60 ? `Grey: ${stepWords(Math.round(unwatched / 60) * 60)} not watched` : "",
    ].filter(Boolean);
    setText(this.doubts, words.join(". ") + (words.length ? "." : ""));
    this.doubts.hidden = words.length === 0;
  }

  /** Returns a sentence about the percentiles that the history does not keep. It is empty if it keeps all. */
  missingWords(range) {
    const missing = this.kind === "histogram" ? this.percentiles.filter((key) => !STORED_PERCENTILES.includes(key)) : [];
    if (missing.length === 0) return "";
    const names = (keys) => list(keys.map(percentileName), 9);
    const kept = `the history keeps ${names(STORED_PERCENTILES)}`;
    return this.isFine(range) ? `. Of ${names(missing)} there is only what this page received itself: ${kept}.` : `. There is no ${names(missing)} here: ${kept}.`;
  }

  read(time) {
    if (time === null) return this.say();
    const { lines, step, flaws } = this.shown ?? {};
    if (!lines) return;
    const parts = lines.map((line) => {
      let best = null;
      for (const [at, value] of line.points) if (value !== null && (best === null || Math.abs(at - time) < Math.abs(best[0] - time))) best = [at, value];
      return best && Math.abs(best[0] - time) <= Math.max(step, 2) ? `${line.name} ${this.kind === "counter" ? rateText(best[1]) : text(best[1], this.unit)}` : null;
    }).filter(Boolean);
    const flaw = flaws.find((each) => each.from <= time && time <= each.to);
    setText(this.reading, `${moment(time)}   ${parts.join("   ") || "no value"}${flaw ? `   ${flaw.words}` : ""}`);
  }

  say() {
    setText(this.reading, this.readingWords);
  }

  drawDistributions() {
    const curves = [];
    const add = (point, title, className) => {
      if (!point) return;
      const known = point.quantiles ?? STORED_PERCENTILES.map((key) => [quantileOf(key), point[key]]);
      curves.push({ name: title, className, points: known, count: point.count, buckets: point.buckets ?? [] });
    };
    add(this.whole, "this range", "p2");
    if (this.other) add(this.otherWhole, this.other.title, "other");
    const thresholds = this.thresholds;
    const words = this.failure ? "The history cannot be read." : undefined;
    this.byPercentile.set({ unit: this.unit, curves, thresholds, words });
    this.histogram.set({ unit: this.unit, curves, words });
    const legend = curves.map((curve) => [curve.className, `${visible(curve.name)}: ${plural(curve.count, "value")}`]);
    const shown = JSON.stringify(legend);
    if (shown !== this.shownLegend) {
      this.shownLegend = shown;
      this.legend.replaceChildren(...legend.map(([className, words]) => element("span", { class: `key ${className}` }, element("span", { class: "swatch", attributes: { "aria-hidden": "true" } }), words)));
    }
    this.tables.percentile.set(() => ({
      head: ["Percentile", ...curves.map((curve) => visible(curve.name))],
      rows: curves.length ? curves[0].points.map(([quantile], index) => [`${Number((quantile * 100).toPrecision(8))} %`, ...curves.map((curve) => text(curve.points[index]?.[1] ?? null, this.unit))]) : [],
    }));
    this.tables.histogram.set(() => ({
      head: ["Range", "From", "To", "Count"],
      rows: curves.flatMap((curve) => curve.buckets.map(([lower, upper, number]) => [visible(curve.name), text(lower, this.unit), text(upper, this.unit), count(number)])),
    }));
  }

  timeTable() {
    const { lines, flaws } = this.shown;
    const times = [...new Set(lines.flatMap((line) => line.points.map(([time]) => time)))].sort((a, b) => b - a).slice(0, 300);
    const values = lines.map((line) => new Map(line.points));
    return {
      head: ["Time", ...lines.map((line) => line.name), "Data"],
      rows: times.map((time) => [moment(time), ...values.map((map) => (this.kind === "counter" ? rateText(map.get(time)) : text(map.get(time) ?? null, this.unit))),
        flaws.find((flaw) => flaw.from <= time && time <= flaw.to)?.words ?? "complete"]),
    };
  }

  drawComparison() {
    const { other } = this;
    this.comparisonPart.hidden = !other;
    if (!other) return;
    const titles = ["", "this range", visible(other.title), `this range against ${visible(other.title)}`];
    const shown = titles.join("|");
    if (shown !== this.shownComparison) {
      this.shownComparison = shown;
      this.comparisonHead.replaceChildren(...titles.map((title) => element("th", { text: title, attributes: { scope: "col" } })));
    }
    const [a, b] = [this.whole, this.otherWhole];
    const rows = this.kind === "histogram" ? STORED_PERCENTILES.map((key) => [percentileName(key), a?.[key] ?? null, b?.[key] ?? null]) : [];
    fillRows(this.comparison, [
      ...rows.map(([title, one, two]) => [title, text(one, this.unit), text(two, this.unit), difference(one, two)]),
      ...(this.kind === "histogram" ? [["count", count(a?.count ?? null), count(b?.count ?? null), ""], ["data", wholeWords(a), wholeWords(b), ""]] : []),
    ]);
  }

  drawExemplars() {
    const sorted = [...this.exemplars].sort((a, b) => b.value - a.value);
    const shown = JSON.stringify(sorted);
    if (shown === this.shownExemplars) return;
    this.shownExemplars = shown;
    this.exemplarRows.replaceChildren(...sorted.map((each) => element("tr", {},
      element("td", { text: text(each.value, this.unit) }), element("td", { text: moment(each.time) }),
      element("td", {}, element("button", { class: "copyable trace", attributes: { type: "button" }, on: { click: () => copy(each.trace) } }, name(each.trace))))));
    this.draw();
  }

  showTrace(dot, isPressed) {
    setText(this.reading, dot.words);
    if (isPressed) copy(dot.trace, `trace ${dot.trace}`);
  }
}

/** A table behind a picture. It is filled only while it is open. */
class Behind {
  constructor(title) {
    this.head = element("tr");
    this.body = element("tbody");
    this.node = element("details", { class: "behind", on: { toggle: () => this.show() } },
      element("summary", { text: "Show as a table" }),
      element("div", { class: "scroller low", attributes: { tabindex: 0, role: "region", "aria-label": title } }, element("table", { class: "plain" },
        element("caption", { class: "offscreen", text: title }), element("thead", {}, this.head), this.body)));
  }

  set(make) {
    this.make = make;
    this.show();
  }

  show() {
    if (!this.node.open || !this.make) return;
    const { head, rows } = this.make();
    if (head.join("|") !== this.shownHead) {
      this.shownHead = head.join("|");
      this.head.replaceChildren(...head.map((title) => element("th", { text: title, attributes: { scope: "col" } })));
    }
    fillRows(this.body, rows);
  }
}

const rateCell = (value) => ({ value, shown: value === null ? { number: "\u2013", unit: "" } : { number: rateText(value).slice(0, -2), unit: "/s" }, unit: "per second" });

function difference(one, two) {
  if (one === null || two === null || two === 0) return "\u2013";
  const factor = one / two;
  if (factor > 0 && (factor >= 2 || factor <= 0.5)) return `\u00d7${factor.toPrecision(3)}`;
  const share = (factor - 1) * 100;
  return Math.abs(share) < 0.3 ? "the same" : `${share > 0 ? "+" : "\u2212"}${Math.abs(share).toPrecision(2)} %`;
}

function wholeWords(point) {
  if (!point) return { text: "no values", tone: "calm" };
  if (point.lost > 0) return { text: `${count(point.lost)} lost`, tone: "bad" };
  return point.complete ? { text: "complete", tone: "quiet" } : { text: "incomplete", tone: "warn" };
}

function stepWords(seconds) {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${seconds / 60} min`;
  if (seconds < 86400) return `${Number((seconds / 3600).toPrecision(3))} h`;
  return `${Number((seconds / 86400).toPrecision(3))} d`;
}

/**
 * Returns the times that the collector did not watch. Steps that have values all the same are left out, because the
 * chart shows them as incomplete.
 */
function gapsOf(unwatched, points, step, end) {
  const known = new Set(points.map((point) => point.time));
  const gaps = [];
  for (const { from, to } of unwatched) {
    for (let time = from; time < Math.min(to, end); time += step) {
      if (known.has(time)) continue;
      const last = gaps.at(-1);
      const upper = Math.min(time + step, to, end);
      if (last && last.to === time) last.to = upper;
      else gaps.push({ from: time, to: upper });
    }
  }
  return gaps;
}

function differOnlyInSymbol(one, other) {
  const rest = ({ symbol, ...labels }) => labelsKey(labels);
  return rest(one) === rest(other);
}
