// The view of one bot. It shows the state, the rings, and the instruments by plane.

import { element, name, setAttribute, setClass, setName, setText, short, visible } from "./dom.js";
import { isBurning, metricIn } from "./model.js";
import { address, carried, metricAddress } from "./router.js";
import { SeriesTable } from "./series.js";
import { age, count, rateText, text } from "./units.js";
import { objectiveInWords, stateOf, trustOf } from "./words.js";

export class BotView {
  constructor(context, botName) {
    this.context = context;
    this.name = botName;
    this.facts = new Facts();
    this.sign = element("span", { class: "sign", attributes: { "aria-hidden": "true" } });
    this.word = element("span");
    this.state = element("p", { class: "state" }, this.sign, this.word);
    this.labels = element("p", { class: "chips" });
    this.troubles = element("ul", { class: "troubles" });
    this.rings = element("tbody");
    this.ringTable = element("details", { class: "rings" },
      element("summary", { text: "Rings" }),
      element("div", { class: "scroller", attributes: { tabindex: 0, role: "region", "aria-label": "Rings" } }, element("table", { class: "plain" },
        element("thead", {}, element("tr", {}, ...["Lane", "State", "Pid", "Read", "Backlog", "Highest", "Lag", "Worst lag, 1 min", "Longest gap", "Overhead", "Lost"].map((title) => element("th", { text: title, attributes: { scope: "col" } })))),
        this.rings)));
    this.series = new SeriesTable(context, botName);
    this.missing = element("p", { class: "empty", text: "The collector knows no bot of this name now.", attributes: { hidden: true } });
    this.node = element("div", { class: "view bot" },
      element("header", { class: "heading" },
        element("h1", {}, name(botName, { length: 400 })), this.state, this.labels),
      this.missing, this.facts.node, this.troubles, this.ringTable, this.series.node);
  }

  destroy() {
    this.series.destroy();
  }

  update(isStructural) {
    const { fleet, span, router } = this.context;
    const bot = fleet.byName.get(this.name);
    this.missing.hidden = Boolean(bot);
    for (const node of [this.facts.node, this.ringTable, this.series.node, this.troubles]) node.hidden = !bot;
    if (!bot) return;
    const { sign, word, tone, since } = stateOf(bot);
    setText(this.sign, sign);
    setText(this.word, since ? `${word} ${since}` : word);
    setClass(this.state, `state ${tone}`);
    showChips(this.labels, bot.data.labels);
    const trust = trustOf(bot, span);
    const isUp = bot.data.up;
    this.facts.set([
      ["Data", trust.words, trust.tone],
      ["Lost ever", bot.lost ? `${count(bot.lost)}: ${bot.lossReasons.map(([reason, lost]) => `${count(lost)} ${reason}`).join(", ")}` : "0", bot.lost ? "warn" : ""],
      ...(bot.beforeAttach ? [["Before the collector came", `${count(bot.beforeAttach)} records were overwritten`, ""]] : []),
      ["Records", isUp ? rateText(bot.rate) : "\u2013"],
      ["Backlog", count(bot.backlog)],
      ["Lag, worst of 1 min", `${text(bot.lag, "seconds")}, ${text(bot.lagWorst, "seconds")}`],
      ["CPU", text(bot.cpu, "ratio")],
      ["Memory", text(bot.memory, "bytes")],
      ["Last record", bot.silence === null ? "\u2013" : bot.silence < 2 ? "now" : `${age(bot.silence)} ago`],
    ]);
    this.showTroubles(bot, router);
    if (this.ringTable.open || !this.rings.firstChild) this.showRings(bot);
    this.series.update(isStructural);
  }

  showTroubles(bot, router) {
    const rows = [
      ...bot.alerts.map((alert) => ({
        tone: alert.state === "firing" && !alert.silenced ? "bad" : "warn", what: `${alert.severity} ${alert.alert}`, href: address(["alerts"], carried(router.query)),
        metric: metricIn(alert.condition, bot), words: `${alert.silenced ? "silenced: " : alert.state === "pending" ? "about to fire: " : ""}${alert.condition}`,
      })),
      ...bot.objectives.filter(isBurning).map((each) => ({
        tone: "warn", what: each.objective, href: address(["objectives"], carried(router.query)), metric: each.instrument, words: objectiveInWords(each),
      })),
    ];
    const shown = JSON.stringify(rows);
    if (shown === this.shownTroubles) return;
    this.shownTroubles = shown;
    this.troubles.replaceChildren(...rows.map((row) => element("li", { class: row.tone },
      element("span", { class: "sign", text: "\u25b2", attributes: { "aria-hidden": "true" } }),
      element("span", { class: "what" }, element("a", { class: "name", attributes: { href: row.href } }, name(row.what))), reason(row, bot.name, router.query))));
  }

  showRings(bot) {
    const cells = bot.data.rings.map((ring) => [
      ring.lane ? visible(ring.lane) : "(main)", ring.state, String(ring.pid), count(ring.drained), count(ring.backlog), count(ring.backlog_max), text(ring.up ? ring.lag : null, "seconds"),
      text(ring.up ? ring.lag_worst : null, "seconds"), text(ring.longest_read_gap, "seconds"), text(ring.emit_overhead_records_ratio, "ratio"),
      Object.entries(ring.lost).filter(([, lost]) => lost > 0).map(([reason, lost]) => `${count(lost)} ${reason.replaceAll("_", " ")}`).join(", ") || "0",
    ]);
    fillRows(this.rings, cells);
  }
}

/** Returns why something is listed as wrong. The text is a link to the instrument that it is about, if there is one. */
export function reason({ words, metric }, bot, query) {
  const text = name(words);
  return element("span", { class: "why" }, metric ? element("a", { attributes: { href: metricAddress(bot, metric, query) } }, text) : text);
}

/** Name and value pairs in a line. */
export class Facts {
  constructor() {
    this.node = element("dl", { class: "facts" });
    this.pairs = [];
  }

  set(facts) {
    while (this.pairs.length < facts.length) {
      const pair = { term: element("dt"), value: element("dd") };
      this.node.append(element("div", {}, pair.term, pair.value));
      this.pairs.push(pair);
    }
    facts.forEach(([term, value, tone = ""], index) => {
      setText(this.pairs[index].term, term);
      setText(this.pairs[index].value, visible(value));
      setClass(this.pairs[index].value, tone);
    });
    this.pairs.forEach(({ term }, index) => (term.parentNode.hidden = index >= facts.length));
  }
}

export function showChips(node, labels) {
  const shown = JSON.stringify(labels);
  if (node.shownChips === shown) return;
  node.shownChips = shown;
  node.replaceChildren(...Object.entries(labels).map(([label, value]) => element("span", { class: "chip" }, name(`${label}=${value}`))));
}

/** Shows a link in a cell. A link to another site opens in a new tab. */
function setLink(cell, text, href, isOutside) {
  let link = cell.firstElementChild;
  if (!link) {
    link = element("a", { attributes: isOutside ? { rel: "noopener noreferrer", target: "_blank" } : {} });
    cell.replaceChildren(element("bdi", {}, link));
  } else link = cell.querySelector("a");
  setName(link, text);
  setAttribute(link, "href", href);
}

/** Writes rows into a table's body. A cell is a text or { text, tone, title, href, isOutside }. Elements are reused. */
export function fillRows(body, rows) {
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((cells, index) => {
    const row = body.rows[index] ?? body.insertRow();
    while (row.cells.length > cells.length) row.deleteCell(-1);
    cells.forEach((cell, place) => {
      const node = row.cells[place] ?? row.insertCell();
      const { text, tone = "", title = null, href, isOutside } = typeof cell === "object" && cell !== null ? cell : { text: cell ?? "\u2013" };
      if (href) setLink(node, text, href, isOutside);
      else {
        if (node.firstElementChild) node.shownText = undefined;
        setText(node, short(text, 400));
      }
      setClass(node, tone);
      setAttribute(node, "title", title === null ? null : visible(title));
    });
  });
}
