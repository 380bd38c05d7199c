// The views of the objectives and the alerts of all bots.

import { fillRows } from "./bot.js";
import { element, setText } from "./dom.js";
import { askAlerts } from "./history.js";
import { isBurning, metricIn } from "./model.js";
import { botAddress, metricAddress } from "./router.js";
import { age, budget, count, moment, share, text } from "./units.js";
import { plural } from "./words.js";

const REFRESH_MILLISECONDS = 20_000;

function table(titles, label) {
  const body = element("tbody");
  const head = element("tr", {}, ...titles.map((title) => element("th", { text: title, attributes: { scope: "col" } })));
  const node = element("div", { class: "scroller", attributes: { tabindex: 0, role: "region", "aria-label": label } },
    element("table", { class: "plain" }, element("thead", {}, head), body));
  return { node, head, body };
}

const words = (query) => (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
const hasAll = (known, wanted) => wanted.every((word) => known.toLowerCase().includes(word.replace(/^bot:/, "")));

const STATES = { met: ["\u25cf met", "good"], violated: ["\u25a0 violated", "bad"], no_data: ["\u25cb no data", "quiet"] };

export class ObjectivesView {
  constructor(context) {
    this.context = context;
    this.summary = element("p", { class: "lead" });
    this.table = table([], "Objectives");
    this.empty = element("p", { class: "empty", text: "No objective matches.", attributes: { hidden: true } });
    this.node = element("div", { class: "view objectives" }, element("header", { class: "heading" }, element("h1", { text: "Objectives" }), this.summary), this.table.node, this.empty);
  }

  destroy() {}

  update() {
    const { fleet, router } = this.context;
    const wanted = words(router.query);
    const rank = (each) => (each.state === "violated" ? 0 : isBurning(each) ? 1 : each.state === "no_data" ? 3 : 2);
    const all = fleet.document.slo;
    const found = all.filter((each) => hasAll(`${each.objective} ${each.bot} ${each.instrument ?? ""} ${each.state}`, wanted))
      .sort((a, b) => rank(a) - rank(b) || a.bot.localeCompare(b.bot, undefined, { numeric: true }) || a.objective.localeCompare(b.objective));
    const burning = all.filter(isBurning).length;
    const without = all.filter((each) => each.state === "no_data").length;
    setText(this.summary, `${burning ? `${plural(burning, "objective is", "objectives are")} violated or burning` : "None is violated or burns"}; ${plural(all.length - without, "is", "are")} judged, ${without} without enough data.`);
    this.empty.hidden = found.length > 0;
    const pairs = all[0]?.burn ?? [];
    const spans = [...new Set(all.flatMap((each) => Object.keys(each.windows)))].slice(0, 6);
    this.showHead(spans, pairs);
    fillRows(this.table.body, found.map((each) => {
      const [state, tone] = STATES[each.state] ?? [each.state, "warn"];
      const left = each.error_budget_remaining;
      return [
        { text: state, tone }, metricLink(this, each.objective, each.bot, each.instrument), botLink(this, each.bot),
        right(share(each.target, 3)), right(each.threshold === null ? "\u2013" : text(each.threshold, this.unitOf(each))),
        ...spans.map((span) => compliance(each, span)), right(budget(left), left !== null && left < 0.25 ? "warn" : ""),
        ...pairs.map((_, index) => burnCell(each.burn[index])),
      ];
    }));
  }

  showHead(spans, pairs) {
    const titles = ["State", "Objective", "Bot", "Target", "Within", ...spans.map((span) => `Good, ${span}`), "Budget left", ...pairs.map((pair) => `Burn ${pair.long} / ${pair.short}`)];
    if (titles.join() === this.shownTitles) return;
    this.shownTitles = titles.join();
    this.table.head.replaceChildren(...titles.map((title, index) => element("th", { text: title, class: index > 2 ? "right" : "", attributes: { scope: "col", title: title.startsWith("Burn") ? `How many times as fast as allowed the budget is spent; an alert above ${pairs[index - 6 - spans.length]?.limit}` : undefined } })));
  }

  unitOf(objective) {
    return this.context.fleet.byName.get(objective.bot)?.series.find(({ metric }) => metric.name === objective.instrument)?.metric.unit ?? "seconds";
  }
}

const botLink = (view, bot) => ({ text: bot, href: botAddress(bot, view.context.router.query) });

/** Returns a cell with a text that is a link to an instrument, if there is one. */
function metricLink(view, words, bot, metric) {
  return metric ? { text: words, title: metric, href: metricAddress(bot, metric, view.context.router.query) } : { text: words };
}

/** Returns a cell with an alert's condition. It is a link to the bot's instrument that the condition names. */
const condition = (view, { condition: words, bot }) => metricLink(view, words, bot, metricIn(words, view.context.fleet.byName.get(bot)));

const right = (words, tone = "") => ({ text: words, tone: `right ${tone}` });

function burnCell(burn) {
  if (!burn) return right("\u2013");
  return right(`${burn.burning ? "\u25b2 " : ""}${burnRate(burn.long_rate)} / ${burnRate(burn.short_rate)}`, burn.burning ? "warn" : "quiet");
}

const burnRate = (value) => (value === null ? "\u2013" : value < 0.01 ? "0" : String(Number(value.toPrecision(2))));

function compliance(objective, span) {
  const window = objective.windows[span];
  if (!window || window.compliance === null) return right("\u2013", "quiet");
  const total = window.good + window.bad;
  return {
    ...right(`${(window.compliance * 100).toFixed(3)}\u00a0%`, window.compliance < objective.target ? "warn" : ""),
    title: `${count(window.bad)} of ${count(total)} bad; ${share(window.watched, 1)} of the window was watched${span === objective.deciding_window ? "; this window decides the state" : ""}`,
  };
}

export class AlertsView {
  constructor(context) {
    this.context = context;
    this.summary = element("p", { class: "lead" });
    this.firing = table(["Severity", "Alert", "Bot", "State", "Since", "Value", "Condition", "Runbook"], "Alerts that fire");
    this.none = element("p", { class: "empty", text: "Nothing fires.", attributes: { hidden: true } });
    this.silences = table(["Alert", "Bot", "Reason", "Since", "Until"], "Silences");
    this.silencePart = element("section", { class: "panel" }, element("h2", { text: "Silences" }), this.silences.node);
    this.past = table(["Severity", "Alert", "Bot", "Began", "Lasted", "Value at begin", "Condition", "Why it ended"], "Alerts of the last seven days");
    this.pastNote = element("p", { class: "hint" });
    this.waiting = table(["Kind", "Name", "Metric", "Reason", "Did you mean"], "Rules that have nothing to judge");
    this.waitingPart = element("section", { class: "panel" }, element("h2", { text: "Rules that have nothing to judge" }), this.waiting.node);
    this.node = element("div", { class: "view alerts-view" },
      element("header", { class: "heading" }, element("h1", { text: "Alerts" }), this.summary), this.firing.node, this.none, this.silencePart,
      element("section", { class: "panel" }, element("h2", { text: "The last seven days" }), this.pastNote, this.past.node), this.waitingPart);
    this.load();
  }

  destroy() {}

  async load() {
    this.loadedAt = performance.now();
    try {
      const alerts = await askAlerts();
      this.episodes = alerts ?? [];
      this.pastWords = alerts === null ? "The collector keeps no history: it has no state directory." : alerts.length ? "" : "No alert fired in the last seven days.";
    } catch (error) {
      this.episodes ??= [];
      this.pastWords = `The history cannot be read: ${error.message}`;
    }
    if (!this.context.fleet.isEmpty) this.showPast();
  }

  update() {
    const { fleet, router } = this.context;
    const wanted = words(router.query);
    if (performance.now() - this.loadedAt > REFRESH_MILLISECONDS) this.load();
    const { document: latest, time } = fleet;
    const shown = latest.alerts.filter((alert) => hasAll(`${alert.alert} ${alert.bot} ${alert.severity} ${alert.condition}`, wanted))
      .sort((a, b) => (a.state === "firing" ? 0 : 1) - (b.state === "firing" ? 0 : 1) || a.severity.localeCompare(b.severity) || a.since - b.since);
    const firing = latest.alerts.filter((alert) => alert.state === "firing").length;
    const pending = latest.alerts.length - firing;
    setText(this.summary, `${firing ? plural(firing, "alert fires", "alerts fire") : "Nothing fires"}${pending ? `, ${pending} about to fire` : ""}.`);
    setText(this.none, latest.alerts.length ? "No alert has the words of the search." : "Nothing fires.");
    this.none.hidden = shown.length > 0;
    this.firing.node.hidden = shown.length === 0;
    fillRows(this.firing.body, shown.map((alert) => [
      { text: alert.severity, tone: "strong" }, { text: alert.alert }, botLink(this, alert.bot), stateWords(alert),
      { text: `${moment(alert.since)}, ${age(time - alert.since)}` }, { text: text(alert.value, alert.unit), title: alert.value === null ? null : String(alert.value) }, condition(this, alert), runbook(alert.runbook),
    ]));
    this.silencePart.hidden = latest.silences.length === 0;
    fillRows(this.silences.body, latest.silences.map((each) => [each.alert || "all", each.bot || "all", each.reason, moment(each.since), each.until === null ? "until it is lifted" : moment(each.until)]));
    this.waitingPart.hidden = latest.waiting.length === 0;
    fillRows(this.waiting.body, latest.waiting.map((each) => [each.kind, each.name, each.metric, each.reason, each.nearest ?? "\u2013"]));
    if (this.episodes) this.showPast();
  }

  showPast() {
    const wanted = words(this.context.router.query);
    const found = this.episodes.filter((each) => hasAll(`${each.alert} ${each.bot} ${each.severity}`, wanted));
    setText(this.pastNote, this.pastWords);
    this.past.node.hidden = found.length === 0;
    fillRows(this.past.body, found.map((each) => {
      const lasted = each.ended === null ? { text: "still fires", tone: "bad" } : age(each.ended - each.began);
      const known = this.context.fleet.byName.has(each.bot);
      return [
        { text: each.severity, tone: "strong" }, each.alert, known ? botLink(this, each.bot) : each.bot, moment(each.began), lasted,
        text(each.value, this.unitOf(each)), condition(this, each), each.reason || "\u2013",
      ];
    }));
  }

  /** Returns the unit of a stored alert's value. A quantile has that of its instrument. Other values are shown as numbers. */
  unitOf({ alert, bot, condition: words }) {
    const { document: latest, byName } = this.context.fleet;
    const same = latest.alerts.find((each) => each.alert === alert);
    if (same) return same.unit;
    const metric = words.startsWith("quantile ") ? metricIn(words, byName.get(bot)) : undefined;
    return metric ? byName.get(bot).series.find((each) => each.metric.name === metric).metric.unit : "";
  }
}

function stateWords(alert) {
  if (alert.silenced) return { text: alert.silenced_until ? `silenced until ${moment(alert.silenced_until)}` : "silenced", tone: "quiet" };
  if (alert.unknown_since) return { text: `unknown since ${moment(alert.unknown_since)}`, tone: "warn" };
  if (alert.resolving_since) return { text: "\u25b2 fires, about to end", tone: "warn" };
  return alert.state === "firing" ? { text: "\u25b2 fires", tone: "bad" } : { text: "\u25d0 about to fire", tone: "warn" };
}

/** Returns a cell for the address of a runbook. Only http and https become a link. Any other address stays a text. */
function runbook(url) {
  if (!url) return "\u2013";
  if (!/^https?:\/\//i.test(url)) return url;
  return { text: "runbook", href: url, title: url, isOutside: true };
}
