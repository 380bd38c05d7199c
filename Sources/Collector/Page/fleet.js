// The start page. It shows whether the bots run well, which stage is slow, and which figures are complete.

import { reason } from "./bot.js";
import { magnitude } from "./chart.js";
import { copyRow, csv, download } from "./csv.js";
import { element, name, setAttribute, setClass, setName, setText, short } from "./dom.js";
import { matchesBot, slowest } from "./filter.js";
import { isBurning, metricIn } from "./model.js";
import { address, botAddress, carried, seriesAddress } from "./router.js";
import { figureCell, Table } from "./table.js";
import { age, baseValue, count, figure, percentileName, rate } from "./units.js";
import { list, objectiveInWords, plural, stateOf, trustOf } from "./words.js";

const SLOWEST = 16;

export class FleetView {
  constructor(context) {
    this.context = context;
    this.cards = element("div", { class: "cards" });
    this.bots = this.card("Bots", "#/");
    this.slow = this.card("Slowest stage");
    this.trust = this.card("Can it be believed?");
    this.alerts = this.card("Alerts and objectives");
    this.columns = this.makeColumns();
    this.table = new Table({
      label: "Bots, what is wrong first", name: "fleet-table", columns: this.columns, rowHeight: 30,
      href: (bot) => botAddress(bot.name, context.router.query), keyOf: (bot) => bot.name,
      onSort: () => this.update(true), copy: (bot) => copyRow(this.columns, bot),
    });
    this.empty = element("p", { class: "empty", attributes: { hidden: true } });
    this.export = element("button", {
      class: "quiet", text: "Export CSV", attributes: { type: "button" },
      on: { click: () => download("ringside-bots.csv", csv(this.columns, this.table.rows)) },
    });
    this.slowList = element("ol", { class: "slowest" });
    this.troubleList = element("ul", { class: "troubles" });
    this.slowTitle = element("h2");
    this.node = element("div", { class: "view fleet" },
      this.cards,
      element("section", { class: "panel grows", attributes: { "aria-label": "Bots" } },
        element("div", { class: "bar" }, element("h2", { text: "Bots" }), element("span", { class: "hint", text: "what is wrong comes first" }), this.export),
        element("div", { class: "table-holder" }, this.table.node, this.empty)),
      element("div", { class: "pair" },
        element("section", { class: "panel" }, element("div", { class: "bar" }, this.slowTitle, this.allLink()), this.slowList),
        element("section", { class: "panel" }, element("div", { class: "bar" }, element("h2", { text: "Firing and burning" })), this.troubleList)));
    this.slowRows = [];
  }

  destroy() {
    this.table.destroy();
  }

  allLink() {
    this.all = element("a", { class: "more", text: "All instruments", attributes: { href: "#/instruments" } });
    return this.all;
  }

  card(title) {
    const headline = element("p", { class: "headline" });
    const detail = element("p", { class: "detail" });
    const node = element("section", { class: "card" }, element("h2", { text: title }), headline, detail);
    this.cards.append(node);
    return { node, headline, detail, set: (tone, words, more) => {
      setClass(node, `card ${tone}`);
      setText(headline, words);
      setText(detail, more);
      setAttribute(headline, "title", words.length > 40 ? words : null);
      setAttribute(detail, "title", more.length > 60 ? more : null);
    } };
  }

  makeColumns() {
    const { context } = this;
    const figureColumn = (id, title, csvTitle, read, form, className = "", help) => ({
      id, title, csvTitle, class: `figure ${className}`, help, sort: read, csv: read, cell: figureCell((bot) => form(read(bot))),
    });
    return [
      {
        id: "state", title: "State", class: "state", sort: (bot) => bot.rank, descends: false, csv: (bot) => bot.state,
        cell: (node) => {
          const sign = element("span", { class: "sign", attributes: { "aria-hidden": "true" } });
          const word = element("span");
          const time = element("span", { class: "since" });
          node.append(sign, word, time);
          return (bot) => {
            const { sign: shape, word: state, tone, since } = stateOf(bot);
            setText(sign, shape);
            setText(word, state);
            setText(time, since && ` ${since}`);
            setClass(node, `cell state ${tone}`);
          };
        },
      },
      {
        id: "bot", title: "Bot", class: "first", sort: (bot) => bot.name, descends: false, csv: (bot) => bot.name,
        cell: (node) => {
          const link = element("a", { class: "name", attributes: { tabindex: -1 } });
          const labels = element("bdi", { class: "labels" });
          node.append(element("bdi", {}, link), labels);
          return (bot) => {
            setName(link, bot.name);
            setAttribute(link, "href", botAddress(bot.name, this.context.router.query));
            setName(labels, Object.entries(bot.data.labels).map(([label, value]) => `${label}=${value}`).join(" "));
          };
        },
      },
      figureColumn("rate", "Records", "Records (per second)", (bot) => (bot.data.up ? bot.rate : null), rate, "", "Records a second, over ten seconds"),
      {
        id: "data", title: "Data", get csvTitle() { return `Data (window of ${context.span})`; }, class: "data", help: "Whether the figures of the window can be believed",
        csv: (bot) => trustOf(bot, this.context.span).words,
        cell: (node) => (bot) => {
          const { words, tone } = trustOf(bot, this.context.span);
          setText(node, words);
          setClass(node, `cell data ${tone}`);
        },
      },
      {
        id: "lost", title: "Lost", csvTitle: "Lost (records)", class: "figure whole lost", help: "Records lost since the collector knows the bot", sort: (bot) => bot.lost, csv: (bot) => bot.lost,
        cell: (node) => {
          const number = element("span", { class: "number" });
          node.append(number);
          return (bot) => {
            setText(number, count(bot.lost));
            setClass(node, `cell figure whole lost ${bot.lost > 0 ? "warn" : "quiet"}`);
            setAttribute(node, "title", bot.lossReasons.map(([reason, lost]) => `${count(lost)} ${reason}`).join(", ") || null);
          };
        },
      },
      figureColumn("backlog", "Backlog", "Backlog (records)", (bot) => bot.backlog, (value) => ({ number: count(value), unit: "" }), "side whole", "Records that wait in the rings"),
      figureColumn("lag", "Lag", "Lag (seconds)", (bot) => bot.lag, (value) => figure(value, "seconds"), "side", "Age of the oldest record that waits"),
      figureColumn("cpu", "CPU", "CPU (cores)", (bot) => bot.cpu, (value) => figure(value, "ratio"), "side", "Of one core, over thirty seconds"),
      figureColumn("memory", "Memory", "Memory (bytes)", (bot) => bot.memory, (value) => figure(value, "bytes"), "side", "Resident memory of the bot's processes"),
      {
        id: "alerts", title: "Alerts", csvTitle: "Alerts (names that fire)", class: "alerts", sort: (bot) => firingOf(bot).length, csv: (bot) => firingOf(bot).map((alert) => alert.alert).join(" "),
        cell: (node) => (bot) => {
          const firing = firingOf(bot);
          setText(node, firing.length ? `\u25b2 ${firing.length > 1 ? `${firing.length}: ` : ""}${short(list(firing.map((alert) => `${alert.severity} ${alert.alert}`), 2))}` : "\u2013");
          setClass(node, `cell alerts ${firing.length ? "bad" : "quiet"}`);
          setAttribute(node, "title", firing.map((alert) => alert.condition).join("\n") || null);
        },
      },
      {
        id: "objectives", title: "Objectives", csvTitle: "Objectives (names violated or burning)", class: "objectives", sort: (bot) => burningOf(bot).length, csv: (bot) => burningOf(bot).map((each) => each.objective).join(" "),
        cell: (node) => (bot) => {
          const burning = burningOf(bot);
          const judged = bot.objectives.filter((each) => each.state !== "no_data").length;
          setText(node, burning.length ? `\u25b2 ${short(list(burning.map((each) => each.objective), 2))}` : judged ? `${judged} met` : "no data");
          setClass(node, `cell objectives ${burning.length ? "warn" : "quiet"}`);
        },
      },
    ];
  }

  update(isStructural) {
    const { fleet, span, router } = this.context;
    setAttribute(this.all, "href", address(["instruments"], carried(router.query)));
    const wanted = router.query.get("q") ?? "";
    const found = fleet.bots.filter((bot) => matchesBot(bot, wanted));
    const ranks = `${wanted} ${found.map((bot) => `${bot.name}:${bot.rank}`).join()}`;
    if (isStructural || ranks !== this.ranks) {
      this.ranks = ranks;
      const sorted = [...found].sort((a, b) => a.rank - b.rank || a.name.localeCompare(b.name, undefined, { numeric: true }));
      this.table.setRows(this.table.order(sorted));
    } else {
      this.table.refresh();
    }
    this.empty.hidden = found.length > 0;
    setText(this.empty, fleet.bots.length ? "No bot matches the search." : "No bot has written yet. Start one, or try: ringside-demo --bots 3");
    this.sayBots();
    this.saySlow(span);
    this.sayTrust(span);
    this.sayTroubles();
  }

  sayBots() {
    const { bots } = this.context.fleet;
    const ill = bots.filter((bot) => bot.isUnwell);
    const degraded = bots.filter((bot) => bot.state === "degraded");
    const closed = bots.filter((bot) => bot.state === "closed").length;
    const up = bots.filter((bot) => bot.data.up).length;
    const rates = bots.filter((bot) => bot.data.up && bot.rate !== null).map((bot) => bot.rate);
    const total = rates.length ? `${rate(rates.reduce((sum, each) => sum + each, 0)).number} records/s` : "counting records";
    if (bots.length === 0) this.bots.set("calm", "No bots yet", "The collector runs and finds no ring.");
    else if (ill.length) this.bots.set("bad", `\u25a0 ${ill.length} of ${bots.length} not well`, list(ill.map((bot) => `${short(bot.name, 30)} ${bot.state} for ${age(bot.silence)}`)));
    else if (degraded.length) this.bots.set("warn", `\u25d0 ${degraded.length} of ${bots.length} degraded`, list(degraded.map((bot) => short(bot.name, 30))));
    else this.bots.set("good", up === 0 ? `${plural(closed, "bot")} closed` : `\u25cf ${up === 1 ? "The bot is up" : `All ${up} bots are up`}`, `${total}${closed && up ? `, ${closed} closed` : ""}`);
  }

  saySlow(span) {
    const { fleet, router } = this.context;
    const key = fleet.percentiles.includes("p99") ? "p99" : fleet.percentiles.at(-1);
    setText(this.slowTitle, `Slowest stages, ${key ? percentileName(key) : ""} over ${span}`);
    // The order does not change while the pointer or the keyboard's focus is on the list, so that a click hits its
    // link. The figures are always the current ones.
    const isHeld = this.slowList.matches(":hover, :focus-within") && this.rankedBy === `${span} ${fleet.structure}`;
    if (key && !isHeld) {
      this.rankedBy = `${span} ${fleet.structure}`;
      this.ranking = slowest(fleet, span, key, SLOWEST).map(({ series }) => series);
    }
    const found = (key ? this.ranking : []).map((series) => ({ series, value: baseValue(series.metric.windows[span]?.[key] ?? null, series.metric.unit) }));
    if (found.length) {
      const { series, value } = found[0];
      this.slow.set("calm", joinedSpace(figure(value, "seconds")), `${percentileName(key)} of ${short(series.metric.name, 60)}, ${short(series.bot.name, 40)}`);
    } else this.slow.set("calm", "\u2013", "No duration was recorded in the window.");
    while (this.slowRows.length < found.length) this.slowRows.push(this.makeSlowRow());
    while (this.slowRows.length > found.length) this.slowRows.pop().node.remove();
    found.forEach(({ series, value }, index) => {
      const row = this.slowRows[index];
      setName(row.link, series.metric.name);
      setAttribute(row.link, "href", seriesAddress(series, router.query));
      setName(row.bot, `${series.bot.name}${series.labels.length ? ` \u00b7 ${series.labels.map(([, label]) => label).join(" \u00b7 ")}` : ""}`);
      const { number, unit } = figure(value, "seconds");
      setText(row.number, number);
      setText(row.unit, unit);
      const width = `${Math.round(magnitude(value) * 100)}%`;
      if (row.width !== width) row.bar.style.width = row.width = width;
    });
  }

  makeSlowRow() {
    const row = {
      link: element("a", { class: "name" }), bot: element("bdi", { class: "labels" }), number: element("span", { class: "number" }),
      unit: element("span", { class: "unit" }), bar: element("span", { class: "magnitude" }),
    };
    row.node = element("li", {}, element("span", { class: "what" }, element("bdi", {}, row.link), row.bot),
      element("span", { class: "track" }, row.bar), element("span", { class: "figure" }, row.number, row.unit));
    this.slowList.append(row.node);
    return row;
  }

  sayTrust(span) {
    const { fleet } = this.context;
    const { losing, incomplete } = fleet.trust(span);
    const ever = fleet.bots.reduce((sum, bot) => sum + bot.lost, 0);
    const since = ever ? `${plural(ever, "record")} lost since the bots are known.` : "Nothing was ever lost.";
    if (losing.length) {
      this.trust.set("bad", `\u25b2 Records are missing`, `${list(losing.map(({ bot, lost }) => `${short(bot.name, 30)} lost ${count(lost)} in ${span}`))}.`);
    } else if (incomplete.length) {
      this.trust.set("warn", `\u25d0 ${span} windows incomplete`, `${list(incomplete.map(({ bot }) => short(bot.name, 30)))}: not watched throughout, or switched off.`);
    } else if (fleet.bots.some((bot) => bot.data.up)) this.trust.set("good", "\u25cf Yes, all of it", `All ${span} windows are complete${ever ? `; ${plural(ever, "record")} lost ever.` : ", nothing ever lost."}`);
    else this.trust.set("calm", "No live figures", since);
  }

  sayTroubles() {
    const { fleet, router } = this.context;
    const { document, time } = fleet;
    const firing = fleet.firing().filter((alert) => !alert.silenced).sort((a, b) => a.severity.localeCompare(b.severity) || a.since - b.since);
    const pending = document.alerts.filter((alert) => alert.state === "pending");
    const burning = document.slo.filter(isBurning);
    const words = [firing.length ? plural(firing.length, "alert fires", "alerts fire") : "", burning.length ? objectivesInWords(burning) : ""].filter(Boolean);
    const silenced = document.alerts.filter((alert) => alert.silenced).length;
    const more = [pending.length ? `${pending.length} about to fire` : "", silenced ? `${silenced} silenced` : ""].filter(Boolean).join(", ");
    if (words.length) this.alerts.set(firing.length ? "bad" : "warn", `\u25b2 ${words[0]}`, [words[1], more].filter(Boolean).join(", ") || list([...new Set((firing.length ? firing.map((each) => each.alert) : burning.map((each) => each.objective)))].map((each) => short(each, 40))));
    else this.alerts.set("good", "\u25cf Nothing fires", more || (document.slo.length ? `${plural(document.slo.length, "objective")} watched, none violated.` : "No objective is configured."));
    const rows = [
      ...firing.map((alert) => ({ key: `a${alert.id}`, tone: "bad", what: `${alert.severity} ${alert.alert}`, bot: alert.bot, href: address(["alerts"], carried(router.query)), metric: metricIn(alert.condition, fleet.byName.get(alert.bot)), words: `${alert.condition}; for ${age(Math.floor((time - alert.since) / 5) * 5)}` })),
      ...burning.map((each) => ({ key: `o${each.objective} ${each.bot}`, tone: "warn", what: each.objective, bot: each.bot, href: address(["objectives"], carried(router.query)), metric: each.instrument, words: objectiveInWords(each) })),
    ];
    const shown = JSON.stringify(rows);
    if (shown === this.troubles) return;
    this.troubles = shown;
    this.troubleList.replaceChildren(...rows.slice(0, 40).map((row) => element("li", { class: row.tone },
      element("span", { class: "sign", text: "\u25b2", attributes: { "aria-hidden": "true" } }),
      element("span", { class: "what" }, element("a", { class: "name", attributes: { href: row.href } }, name(row.what)), name(row.bot, { class: "labels" })),
      reason(row, row.bot, router.query))));
    if (rows.length === 0) this.troubleList.append(element("li", { class: "none", text: "Nothing fires, and no objective is violated or burns." }));
  }
}

/** Returns the alerts of a bot that fire and are not silenced, the most severe first. */
const firingOf = (bot) => bot.alerts.filter((alert) => alert.state === "firing" && !alert.silenced).sort((a, b) => a.severity.localeCompare(b.severity));

function objectivesInWords(objectives) {
  const violated = objectives.filter((each) => each.state === "violated").length;
  if (violated === objectives.length) return `${plural(violated, "objective")} violated`;
  if (violated === 0) return plural(objectives.length, "objective burns", "objectives burn");
  return `${objectives.length} objectives violated or burning`;
}

const burningOf = (bot) => bot.objectives.filter(isBurning);
const joinedSpace = ({ number, unit }) => `${number}\u00a0${unit}`;
