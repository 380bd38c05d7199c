// Connects the parts of the page. The stream updates the model, the address chooses the view, and each new document is
// drawn once.

import { BotView } from "./bot.js";
import { CollectorView } from "./collector.js";
import { element, setAttribute, setText, visible } from "./dom.js";
import { FleetView } from "./fleet.js";
import { forgetCollector } from "./history.js";
import { InstrumentView } from "./instrument.js";
import { listenToKeys } from "./keyboard.js";
import { Fleet } from "./model.js";
import { announce } from "./notice.js";
import { address, carried, Router } from "./router.js";
import { AlertsView, ObjectivesView } from "./rules.js";
import { SeriesTable } from "./series.js";
import { Stream } from "./stream.js";
import { Theme } from "./theme.js";
import { age, moment } from "./units.js";

const at = (id) => document.getElementById(id);
const main = at("main");
const search = at("search");
const waiting = at("waiting");
const fleet = new Fleet();
const TABS = [["Fleet", []], ["Instruments", ["instruments"]], ["Objectives", ["objectives"]], ["Alerts", ["alerts"]], ["Collector", ["collector"]]];
const SEARCHES = { fleet: "Search bots", bot: "Search: words, venue=\u2026, plane:\u2026", instruments: "Search: words, bot:\u2026, venue=\u2026", objectives: "Search objectives", alerts: "Search alerts" };

/** The view of all instruments of all bots. */
class InstrumentsView {
  constructor(context) {
    this.table = new SeriesTable(context);
    this.node = element("div", { class: "view instruments" }, element("h1", { class: "offscreen", text: "Instruments of all bots" }), this.table.node);
  }

  update(isStructural) {
    this.table.update(isStructural);
  }

  destroy() {
    this.table.destroy();
  }
}

const context = {
  fleet,
  get span() {
    const wanted = context.router.query.get("w");
    return fleet.spans.includes(wanted) ? wanted : fleet.trailSpan ?? "";
  },
};

let view = null;
let shownPath = null;
let isScheduled = false;
let isStructural = true;

context.router = new Router(() => show());
context.stream = new Stream({
  onDocument(document, epoch) {
    const isNew = fleet.epoch !== null && fleet.epoch !== epoch;
    fleet.takeDocument(document, epoch);
    if (isNew) {
      forgetCollector();
      announce("The collector was started anew; its figures begin again.");
      shownPath = null;
    }
    isStructural = true;
    schedule();
  },
  onChange(change) {
    fleet.takeChange(change);
    schedule();
  },
  onState: sayState,
});

/** Requests a drawing. The page draws at most once a frame, however many documents arrive. */
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    draw();
  });
}

function draw() {
  if (fleet.isEmpty) return;
  if (shownPath !== pathOf()) return show();
  const structural = isStructural;
  isStructural = false;
  showWindows();
  showTabs();
  sayUpdated();
  view.update(structural);
}

const pathOf = () => {
  const { parts, query } = context.router.route;
  const labels = [...query].filter(([name]) => name.startsWith("label.") || name === "lane");
  return JSON.stringify([parts, parts.length > 2 ? labels : [], fleet.epoch]);
};

function makeView([first, second, third]) {
  if (first === "instruments") return ["instruments", new InstrumentsView(context)];
  if (first === "objectives") return ["objectives", new ObjectivesView(context)];
  if (first === "alerts") return ["alerts", new AlertsView(context)];
  if (first === "collector") return ["collector", new CollectorView(context)];
  if (first === "bot" && third !== undefined) return ["instrument", new InstrumentView(context, second, third)];
  if (first === "bot" && second !== undefined) return ["bot", new BotView(context, second)];
  return ["fleet", new FleetView(context)];
}

function show() {
  const { parts, query } = context.router.route;
  if (document.activeElement !== search) search.value = query.get("q") ?? "";
  const path = pathOf();
  if (fleet.isEmpty) return showTabs();
  if (path !== shownPath) {
    const isFirst = shownPath === null;
    shownPath = path;
    view?.destroy();
    const [id, made] = makeView(parts);
    view = made;
    main.replaceChildren(view.node);
    main.dataset.view = id;
    main.scrollTop = 0;
    search.disabled = !(id in SEARCHES);
    search.placeholder = SEARCHES[id] ?? "";
    document.title = [parts.at(-1) ? visible(parts.at(-1)).slice(0, 80) : "", "Ringside"].filter(Boolean).join(" \u00b7 ");
    if (!isFirst) main.focus({ preventScroll: true });
  }
  isStructural = true;
  draw();
}

// ---------------------------------------------------------------- the head of the page

const tabs = TABS.map(([title, parts]) => {
  const badge = element("span", { class: "badge", attributes: { hidden: true } });
  const link = element("a", { attributes: { href: address(parts) } }, title, badge);
  at("tabs").append(link);
  return { parts, link, badge };
});

function showTabs() {
  const { parts, query } = context.router.route;
  const first = parts[0] === "bot" ? undefined : parts[0];
  for (const tab of tabs) {
    setAttribute(tab.link, "href", address(tab.parts, carried(query)));
    setAttribute(tab.link, "aria-current", tab.parts[0] === first && parts.length < 2 ? "page" : tab.parts[0] === first ? "true" : null);
  }
  if (fleet.isEmpty) return;
  const firing = fleet.firing().filter((alert) => !alert.silenced).length;
  const { badge, link } = tabs[3];
  badge.hidden = firing === 0;
  setText(badge, String(firing));
  setAttribute(link, "aria-label", firing ? `Alerts, ${firing} firing` : null);
}

function showWindows() {
  const group = at("windows");
  const shown = fleet.spans.join();
  if (group.shownSpans !== shown) {
    group.shownSpans = shown;
    group.replaceChildren(...fleet.spans.map((span, index) => element("button", {
      text: span, attributes: { type: "button", title: `Figures of the last ${span} (key ${index + 1})`, "data-span": span }, on: { click: () => chooseWindow(index) },
    })));
  }
  for (const button of group.children) setAttribute(button, "aria-pressed", button.dataset.span === context.span);
}

function chooseWindow(index) {
  const span = fleet.spans[index];
  if (!span) return;
  context.router.wish({ w: span === fleet.trailSpan ? "" : span });
  isStructural = true;
  draw();
}

const STATE_WORDS = { connecting: "\u25cc Connecting", live: "\u25cf Live", stale: "\u25a0 Stale", paused: "\u275a\u275a Paused", hidden: "\u275a\u275a Not watched" };

function sayState(state, reason) {
  document.body.dataset.stream = state;
  setText(at("state"), STATE_WORDS[state]);
  at("pause").textContent = state === "paused" ? "Resume" : "Pause";
  setAttribute(at("pause"), "aria-pressed", state === "paused");
  const banner = at("banner");
  const isBad = state === "stale" || state === "paused" || (state === "connecting" && reason !== "");
  banner.hidden = !isBad;
  context.reason = reason;
  sayUpdated();
  sayBanner();
  if (state === "connecting") setText(waiting, reason || "Connecting to the collector.");
  if (state === "live") schedule();
}

function sayBanner() {
  const { state } = context.stream;
  const from = fleet.isEmpty ? "" : ` All figures are of ${moment(fleet.time)}.`;
  if (state === "paused") setText(at("banner"), `Paused.${from} Press Resume (p) to go on.`);
  else if (state === "stale") setText(at("banner"), `Stale.${from} ${context.reason}`);
  else setText(at("banner"), context.reason ?? "");
}

/** Shows the time of the figures. If they are not live, it shows their age too. */
function sayUpdated() {
  if (fleet.isEmpty) return setText(at("updated"), "");
  const { state, figuresAt } = context.stream;
  const old = Math.round((performance.now() - figuresAt) / 1000);
  setText(at("updated"), state === "live" ? moment(fleet.time) : `${moment(fleet.time)}, ${age(old)} old`);
  setAttribute(document.body, "data-time", fleet.time);
}

setInterval(() => context.stream.state !== "live" && sayUpdated(), 1000);

const togglePause = () => context.stream.pause(!context.stream.isPaused);
at("pause").addEventListener("click", togglePause);
const theme = new Theme(at("theme"));
const help = at("help");
at("help-open").addEventListener("click", () => help.showModal());
at("help-close").addEventListener("click", () => help.close());
let typing;
search.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    context.router.wish({ q: search.value });
    isStructural = true;
    draw();
  }, 80);
});

listenToKeys({
  search, help, pause: togglePause, theme: () => theme.next(), chooseWindow,
  go: (parts) => context.router.go(parts),
  back: () => {
    const { parts } = context.router.route;
    if (parts.length > 2) context.router.go(parts.slice(0, 2));
    else if (parts.length > 0) context.router.go([]);
  },
});

document.querySelector(".skip").addEventListener("click", (event) => {
  // The part of the address after # belongs to the view, so this link must not change it.
  event.preventDefault();
  main.focus();
});

context.stream.start();
show();
