// The view of the collector's own figures.

import { Facts, fillRows } from "./bot.js";
import { element, setText, visible } from "./dom.js";
import { request } from "./history.js";
import { age, count, figure, percentileName, text } from "./units.js";

const REFRESH_MILLISECONDS = 5000;

export class CollectorView {
  constructor(context) {
    this.context = context;
    this.lead = element("p", { class: "lead" });
    this.drain = new Facts();
    this.clock = new Facts();
    this.page = new Facts();
    this.exports = element("tbody");
    this.exportNote = element("p", { class: "hint" });
    this.problems = element("ul", { class: "troubles" });
    this.state = new Facts();
    this.node = element("div", { class: "view collector" },
      element("header", { class: "heading" }, element("h1", { text: "Collector" }), this.lead), this.problems,
      panel("Drain", this.drain.node), panel("State and history", this.state.node), panel("Clock", this.clock.node),
      element("section", { class: "panel" }, element("h2", { text: "Exports" }), this.exportNote,
        (this.exportTable = element("table", { class: "plain" }, element("thead", {}, element("tr", {}, ...["Destination", "State", "Queue"].map((title) => element("th", { text: title, attributes: { scope: "col" } })))), this.exports))),
      panel("This page", this.page.node));
    this.load();
  }

  destroy() {}

  async load() {
    this.loadedAt = performance.now();
    try {
      const answer = await request("/health", { cache: "no-store" });
      this.health = await answer.json();
      this.failure = null;
    } catch (error) {
      this.health = null;
      this.failure = error.message;
    }
    if (!this.context.fleet.isEmpty) this.update();
  }

  update() {
    const { fleet, stream } = this.context;
    if (performance.now() - this.loadedAt > REFRESH_MILLISECONDS) this.load();
    const { collector } = fleet.document;
    const cycle = collector.drain_cycle;
    const gaps = fleet.bots.flatMap((bot) => bot.data.rings.filter((ring) => ring.longest_read_gap !== null).map((ring) => [ring.longest_read_gap, bot.name]));
    const [gap, gapBot] = gaps.sort((a, b) => b[0] - a[0])[0] ?? [null, ""];
    const lags = fleet.bots.map((bot) => bot.lagWorst).filter((lag) => lag !== null);
    setText(this.lead, `Version ${visible(collector.version)}, running for ${age(Math.floor(collector.uptime / 10) * 10)}, ${count(fleet.bots.length)} bots, ${count(fleet.bots.reduce((sum, bot) => sum + bot.series.length, 0))} series.`);
    const percentiles = Object.keys(cycle).filter((key) => /^p\d+$/.test(key));
    this.drain.set([
      ["Drain cycle", percentiles.map((key) => `${percentileName(key)} ${text(cycle[key], "seconds")}`).join(", ")],
      ["Worst cycle, 1 min", text(cycle.worst_recent, "seconds")],
      ["Worst cycle ever", text(cycle.worst, "seconds")],
      ["Cost of a record", text(collector.record_cost, "seconds")],
      ["Worst lag, 1 min", lags.length ? text(Math.max(...lags), "seconds") : "\u2013"],
      ["Longest gap of reading", gap === null ? "\u2013" : `${text(gap, "seconds")} (${gapBot})`],
      ["Lost ever", count(fleet.bots.reduce((sum, bot) => sum + bot.lost, 0)), fleet.bots.some((bot) => bot.lost) ? "warn" : ""],
    ]);
    this.showClock(collector.clock);
    this.showHealth();
    this.page.set([
      ["Stream", stream.state], ["Events", count(stream.events)], ["Received", text(stream.bytes, "bytes")],
      ["Average event", stream.events ? text(stream.bytes / stream.events, "bytes") : "\u2013"],
    ]);
  }

  showClock(clock) {
    if (!clock) return this.clock.set([["Clock", "not watched"]]);
    const drift = clock.drift_ratio === null ? "\u2013" : Math.abs(clock.drift_ratio) < 1e-7 ? `${figure(clock.drift_ratio * 1e9).number} ppb` : `${figure(clock.drift_ratio * 1e6).number} ppm`;
    this.clock.set([
      ["Source", clock.source], ["Drift", drift], ["Steps", count(clock.steps), clock.steps ? "warn" : ""],
      ["Last step", text(clock.last_step, "seconds")], ["Suspends", count(clock.suspends), clock.suspends ? "warn" : ""],
      ["Suspended", text(clock.suspended, "seconds")], ["Jumps of the counter", count(clock.tick_jumps), clock.tick_jumps ? "warn" : ""],
    ]);
  }

  showHealth() {
    const { health } = this;
    if (!health) {
      this.shownReasons = null;
      this.problems.replaceChildren();
      this.state.set([["Health", this.failure ? `cannot be read: ${this.failure}` : "asking for it", this.failure ? "warn" : ""]]);
      setText(this.exportNote, "Whether exports succeed is part of the collector's health.");
      this.exportTable.hidden = true;
      return;
    }
    const reasons = health.reasons ?? [];
    const shown = JSON.stringify(reasons);
    if (shown !== this.shownReasons) {
      this.shownReasons = shown;
      this.problems.replaceChildren(...reasons.map((reason) => element("li", { class: "warn" }, element("span", { class: "sign", text: "\u25b2", attributes: { "aria-hidden": "true" } }), element("span", { class: "what", text: visible(reason) }))));
    }
    const history = health.history;
    this.state.set([
      ["Health", health.status, health.status === "ok" ? "" : "warn"],
      ["Checkpoint", health.checkpoint_failure ? `fails: ${health.checkpoint_failure}` : "written", health.checkpoint_failure ? "warn" : ""],
      ["History", !history ? "none" : history.ok ? "written" : `fails: ${history.failure}`, history && !history.ok ? "warn" : ""],
      ["Set aside", health.state_set_aside ? `${health.state_set_aside.file}: ${health.state_set_aside.reason}` : "nothing", health.state_set_aside ? "warn" : ""],
      ["Rings not read", health.unread_rings?.length ? health.unread_rings.map((ring) => `${ring.ring}: ${ring.reason}`).join("; ") : "none", health.unread_rings?.length ? "warn" : ""],
      ["Refused by limits", health.refused ? `${health.refused.bots.length} bots, ${count(Object.values(health.refused.series).reduce((sum, each) => sum + each, 0))} series` : "nothing", health.refused ? "warn" : ""],
    ]);
    setText(this.exportNote, health.exports.length ? "" : "No export is configured; Prometheus may read /metrics.");
    this.exportTable.hidden = health.exports.length === 0;
    fillRows(this.exports, health.exports.map((each) => [{ text: each.name }, each.ok ? { text: "\u25cf sends", tone: "good" } : { text: "\u25a0 fails", tone: "bad" }, count(each.queue)]));
  }
}

const panel = (title, node) => element("section", { class: "panel" }, element("h2", { text: title }), node);
