// The model of the page. It has the latest document, and the values computed from several documents (rates, the last
// ten minutes).

import { isDuration } from "./units.js";

const TRAIL_SECONDS = 600;
const RATE_SECONDS = 10;

// Bots with a lower rank come first. `Bot.rank` puts bots with a firing alert from 3 to 4, and bots with a burning
// objective at 5. A bot that is not well stays first, whatever else is wrong with it.
const RANK = { down: 0, hung: 1, silent: 2, unknown: 2.5, degraded: 4, up: 6, closed: 7 };
const UNWELL = ["down", "hung", "silent", "unknown"];
const SEVERITIES = ["P0", "P1", "P2", "P3"];

const PLANES = [
  ["Data", /^(data|market_data)_/],
  ["Orders and execution", /^(orders|execution|exchange|risk)_/],
  ["Strategy", /^strategy_/],
  ["Health of the bot", /^(event_bus|queue|runtime|component|batch|batches|network|throughput|buffer)_/],
];

export const planeNames = [...PLANES.map(([name]) => name), "Own"];
export const planeOf = (metric) => PLANES.find(([, pattern]) => pattern.test(metric))?.[0] ?? "Own";

/** One metric with its labels. It has the current figures, and the percentiles of the last ten minutes. */
export class Series {
  constructor(bot, metric, key) {
    this.bot = bot;
    this.key = key;
    this.plane = planeOf(metric.name);
    this.labels = Object.entries(metric.labels);
    this.labelText = this.labels.map(([name, value]) => `${name}=${value}`).join(" ");
    this.search = `${bot.name} ${metric.name} ${this.labelText} ${this.plane}`.toLowerCase();
    this.trail = null;
    this.metric = metric;
  }

  /** Adds the percentiles of this moment to the trail. */
  note(time, span, percentiles) {
    const window = this.metric.windows[span];
    this.trail ??= new Trail(percentiles.length);
    this.trail.add(time, percentiles.map((key) => window?.[key] ?? null), window?.complete === false || window?.lost > 0);
  }

  get isDuration() {
    return isDuration(this.metric.unit);
  }

  /** Returns the usual level of a statistic, which the collector may still be learning. Undefined if there is none. */
  level(statistic) {
    return this.bot.levels.get(`${this.metric.name}|${statistic}|${labelsKey(this.metric.labels)}`);
  }
}

/** A ring of samples, one a second for ten minutes. */
export class Trail {
  constructor(width) {
    this.width = width;
    this.times = new Float64Array(TRAIL_SECONDS);
    this.values = new Float32Array(TRAIL_SECONDS * width);
    this.flaws = new Uint8Array(TRAIL_SECONDS);
    this.count = 0;
  }

  add(time, values, isFlawed) {
    const place = this.count % TRAIL_SECONDS;
    this.times[place] = time;
    this.flaws[place] = isFlawed ? 1 : 0;
    values.forEach((value, index) => {
      this.values[place * this.width + index] = value ?? NaN;
    });
    this.count += 1;
  }

  /** Calls `body(time, place)` from the oldest to the newest sample that is at most `seconds` older than `now`. */
  forEach(now, seconds, body) {
    for (let index = Math.max(0, this.count - TRAIL_SECONDS); index < this.count; index += 1) {
      const place = index % TRAIL_SECONDS;
      if (this.times[place] >= now - seconds) body(this.times[place], place);
    }
  }

  value(place, index) {
    const value = this.values[place * this.width + index];
    return Number.isNaN(value) ? null : value;
  }
}

class Bot {
  constructor(name) {
    this.name = name;
    this.series = [];
    this.byKey = new Map();
    this.metricNames = new Set();
    this.samples = [];
    this.levels = new Map();
    this.alerts = [];
    this.objectives = [];
  }

  /** Takes all metrics of the bot. A series that stays keeps its trail. */
  takeMetrics(metrics) {
    const known = this.byKey;
    this.byKey = new Map();
    this.metricNames = new Set(metrics.map((metric) => metric.name));
    this.series = metrics.map((metric) => {
      let key = `${metric.name}{${labelsKey(metric.labels)}}${metric.kind === "gauge" ? metric.lane : ""}`;
      while (this.byKey.has(key)) key += "'";
      const series = known.get(key) ?? new Series(this, metric, key);
      series.metric = metric;
      this.byKey.set(key, series);
      return series;
    });
  }

  takeLevels(levels) {
    this.levels = new Map(
      levels.map((level) => [`${level.metric}|${level.statistic}|${labelsKey(level.labels)}`, level]));
  }

  /** Computes the figures that the start page and the view of the bot show. */
  derive(time) {
    const { data } = this;
    const rings = data.rings;
    this.state = data.state ?? (rings.some((ring) => ring.up) ? "up" : rings[0]?.state ?? "unknown");
    this.lossReasons = reasons(rings);
    this.lost = sum(this.lossReasons.map(([, lost]) => lost));
    this.beforeAttach = sum(rings.map((ring) => ring.lost.before_attach ?? 0));
    this.backlog = sum(rings.map((ring) => ring.backlog ?? 0));
    // Of a lane that is gone, the collector still has the last lag.
    const lanes = rings.filter((ring) => ring.up);
    this.lag = highest(lanes.map((ring) => ring.lag));
    this.lagWorst = highest(lanes.map((ring) => ring.lag_worst));
    this.silence = lowest(rings.map((ring) => ring.last_record_age));
    this.memory = data.process?.resident_memory ?? null;
    const sample = {
      time, drained: sum(rings.map((ring) => ring.drained)), lost: this.lost, cpu: data.up ? data.process?.cpu_seconds ?? null : null,
    };
    const last = this.samples.at(-1);
    if (last && (sample.drained < last.drained || sample.time <= last.time)) this.samples = [];
    this.samples.push(sample);
    while (this.samples.length > 2 && this.samples[0].time < time - 60) this.samples.shift();
    const recent = this.samples.find((each) => each.time >= time - RATE_SECONDS) ?? sample;
    const seconds = sample.time - recent.time;
    this.rate = seconds > 0.5 ? (sample.drained - recent.drained) / seconds : null;
    const cpuBase = this.samples.find((each) => each.cpu !== null && each.time >= time - 30);
    const cpuSeconds = cpuBase ? time - cpuBase.time : 0;
    this.cpu = sample.cpu !== null && cpuSeconds > 2 ? Math.max(0, (sample.cpu - cpuBase.cpu) / cpuSeconds) : null;
  }

  /**
   * Returns whether a window is complete, and how many records were lost in it. Both are the worst of the bot's series.
   * `isComplete` is null if there are no figures.
   */
  trust(span) {
    let isComplete = null;
    let lost = 0;
    for (const { metric } of this.series) {
      const window = metric.windows[span];
      if (!window || window.complete === null) continue;
      isComplete = (isComplete ?? true) && window.complete;
      if (window.lost > lost) lost = window.lost;
    }
    return { isComplete, lost };
  }

  /** Whether the bot does not run as it should. A state that this page does not know counts as unknown. */
  get isUnwell() {
    return UNWELL.includes(this.state) || !(this.state in RANK);
  }

  get rank() {
    const firing = this.alerts.filter((alert) => alert.state === "firing" && !alert.silenced);
    const worst = Math.min(...firing.map((alert) => SEVERITIES.indexOf(alert.severity)).map((each) => (each < 0 ? 5 : each)), 9);
    const state = RANK[this.state] ?? RANK.unknown;
    if (this.isUnwell) return state;
    if (worst < 9) return 3 + worst / 10;
    if (state === 4) return 4;
    return this.objectives.some(isBurning) ? 5 : state;
  }
}

/** Returns the metric of a bot that the condition of an alert names. Undefined if it names one of the collector. */
export const metricIn = (condition, bot) => bot && condition.split(/[^\w:]+/).find((word) => bot.metricNames.has(word));

/** Returns whether an objective is violated now, or burns its error budget too fast. */
export const isBurning = (objective) => objective.state === "violated" || objective.burn.some((burn) => burn.burning);

/** Everything that the page knows of the collector and its bots. */
export class Fleet {
  constructor() {
    this.forget();
  }

  forget() {
    this.document = null;
    this.epoch = null;
    this.bots = [];
    this.byName = new Map();
    this.spans = [];
    this.percentiles = [];
    this.version = 0;
    this.structure = 0;
  }

  get isEmpty() {
    return this.document === null;
  }

  get time() {
    return this.document?.time ?? 0;
  }

  /** The window of sparklines and live charts. It is long enough for a p99, and short enough to move. */
  get trailSpan() {
    return this.spans[Math.min(1, this.spans.length - 1)];
  }

  takeDocument(document, epoch) {
    if (epoch !== this.epoch) this.forget();
    this.epoch = epoch;
    this.document = document;
    const known = this.byName;
    this.byName = new Map();
    this.bots = document.bots.map((data) => {
      const bot = known.get(data.bot) ?? new Bot(data.bot);
      this.byName.set(data.bot, bot);
      this.takeBot(bot, data);
      return bot;
    });
    this.structure += 1;
    this.finish();
  }

  takeChange(change) {
    const { bots, ...others } = change;
    Object.assign(this.document, others);
    for (const { bot: name, metrics, ...rest } of bots ?? []) {
      const bot = this.byName.get(name);
      if (!bot) continue;
      Object.assign(bot.data, rest);
      if (rest.levels) bot.takeLevels(rest.levels);
      if (Array.isArray(metrics)) {
        bot.data.metrics = metrics;
        bot.takeMetrics(metrics);
        this.structure += 1;
      } else {
        for (const [index, metric] of Object.entries(metrics ?? {})) {
          bot.data.metrics[index] = metric;
          if (bot.series[index]) bot.series[index].metric = metric;
        }
      }
    }
    this.finish();
  }

  takeBot(bot, data) {
    bot.data = data;
    bot.takeLevels(data.levels ?? []);
    bot.takeMetrics(data.metrics);
  }

  finish() {
    const { document } = this;
    this.version += 1;
    if (this.percentiles.length === 0) this.learnShape();
    for (const bot of this.bots) {
      bot.alerts = [];
      bot.objectives = [];
    }
    for (const alert of document.alerts) this.byName.get(alert.bot)?.alerts.push(alert);
    for (const objective of document.slo) this.byName.get(objective.bot)?.objectives.push(objective);
    for (const bot of this.bots) {
      bot.derive(document.time);
      if (!bot.data.up) continue;
      for (const series of bot.series) {
        if (series.metric.kind === "histogram") series.note(document.time, this.trailSpan, this.percentiles);
      }
    }
  }

  /** Reads from the series which windows and percentiles the collector is configured for. */
  learnShape() {
    for (const bot of this.bots) {
      for (const { metric } of bot.series) {
        if (this.spans.length === 0) this.spans = Object.keys(metric.windows);
        if (metric.kind !== "histogram") continue;
        this.percentiles = Object.keys(metric).filter((key) => /^p\d+$/.test(key));
        return;
      }
    }
  }

  *allSeries() {
    for (const bot of this.bots) yield* bot.series;
  }

  firing() {
    return this.document.alerts.filter((alert) => alert.state === "firing");
  }

  /** Returns the running bots that lost records in a window, and the others whose window is incomplete. */
  trust(span) {
    const losing = [];
    const incomplete = [];
    for (const bot of this.bots) {
      if (!bot.data.up) continue;
      const { isComplete, lost } = bot.trust(span);
      if (lost > 0) losing.push({ bot, lost });
      else if (isComplete === false) incomplete.push({ bot });
    }
    return { losing, incomplete };
  }
}

export const labelsKey = (labels) =>
  Object.keys(labels).sort().map((name) => `${name}=${JSON.stringify(labels[name])}`).join(",");

const sum = (values) => values.reduce((total, value) => total + value, 0);
const known = (values) => values.filter((value) => value !== null && value !== undefined);
const highest = (values) => (known(values).length ? Math.max(...known(values)) : null);
const lowest = (values) => (known(values).length ? Math.min(...known(values)) : null);

function reasons(rings) {
  const counts = {};
  for (const ring of rings) for (const [reason, lost] of Object.entries(ring.lost)) counts[reason] = (counts[reason] ?? 0) + lost;
  delete counts.before_attach; // This collector did not lose them.
  return Object.entries(counts).filter(([, lost]) => lost > 0).map(([reason, lost]) => [reason.replaceAll("_", " "), lost]);
}
