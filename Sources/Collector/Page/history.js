// Asks the collector for stored minutes and alerts, and for exemplars.

const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const MOST_POINTS = 150;

/** The percentiles that the history keeps of each minute, whichever the collector computes now. */
export const STORED_PERCENTILES = ["p50", "p95", "p99", "p999"];

export const stepFor = (seconds) => STEPS.find((step) => seconds / step <= MOST_POINTS) ?? 86400 * Math.ceil(seconds / 86400 / MOST_POINTS);

/** Sends a request to the collector. Throws an error whose message is a sentence for people. */
export async function request(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the collector does not answer"); // The browser's own message is "Failed to fetch".
  }
}

function path({ metric, bot, labels, from, to, step, distribution }) {
  const query = new URLSearchParams({ metric, bot, from: String(Math.floor(from)), to: String(Math.ceil(to)), step: `${step}s`, merge: "1" });
  for (const [name, value] of Object.entries(labels)) query.append(`label.${name}`, value);
  if (distribution) query.append("distribution", "1");
  return `/stats/history?${query}`;
}

let kept;

/** Returns whether this collector keeps a history. Without a state directory it has none, and the page does not ask. */
function isKept() {
  kept ??= fetch("/", { headers: { Accept: "application/json" } }).then((answer) => answer.json())
    .then(({ endpoints }) => endpoints.includes("/stats/history")).catch(() => {
      kept = undefined; // The collector did not answer, so the next request asks again.
      return true;
    });
  return kept;
}

/** Forgets what is known of the collector. Another process of it may have been started with another state directory. */
export function forgetCollector() {
  kept = undefined;
}

const LONGEST_NAME = 500;
const MOST_WAITING = 60;
const RETRY_MILLISECONDS = 10_000;

/**
 * Returns the history of a metric. It is empty if there is none. Throws an error whose message is the collector's own
 * sentence.
 */
export async function ask(query, signal) {
  if (!(await isKept())) return { unwatched: [], series: [] };
  const answer = await request(path(query), { signal, cache: "no-store" });
  if (answer.status === 404) return { unwatched: [], series: [], words: await answer.text() };
  if (!answer.ok) throw new Error((await answer.text()).slice(0, 300));
  return answer.json();
}

/** Returns the alerts of the last seven days, newest first and at most 200. Null if the collector keeps no history. */
export async function askAlerts() {
  if (!(await isKept())) return null;
  const answer = await request("/stats/history?alerts&from=-7d&limit=200", { cache: "no-store" });
  if (!answer.ok) throw new Error((await answer.text()).slice(0, 300));
  return (await answer.json()).alerts;
}

/** Returns all values of a range as one point with its distribution. Null if there are no values. */
export async function askWhole(query, signal) {
  const minutes = Math.ceil(query.to / 60) - Math.floor(query.from / 60);
  const { series } = await ask({ ...query, step: minutes * 60, distribution: true }, signal);
  return series[0]?.points.find((point) => point.count > 0) ?? null;
}

/** Returns the stored series of a bot, each with its metric and its labels, such as the version. */
export async function askListing(bot, signal) {
  if (!(await isKept())) return [];
  const answer = await fetch(`/stats/history?${new URLSearchParams({ bot })}`, { signal, cache: "no-store" });
  return answer.ok ? (await answer.json()).series : [];
}

/** Returns whether a step is known only in part. A step that has not ended yet has no flaw, unless it lost records. */
export const isFlawed = (point, step) => point.lost > 0 || (!point.complete && point.time + step < Date.now() / 1000);

/**
 * Fetches the last ten minutes of the series that are in sight, for their sparklines. It sends one request at a time.
 * It asks for each metric of a bot until there is an answer. A series with an answer has `past`.
 */
export class Past {
  constructor(onArrival) {
    this.onArrival = onArrival;
    this.waiting = new Map();
    this.notBefore = new Map(); // The time before which a metric is not requested, because its last request failed.
    this.abort = new AbortController();
  }

  stop() {
    this.abort.abort();
    this.waiting.clear();
  }

  want(series, percentile) {
    if (series.past || this.abort.signal.aborted) return;
    const key = JSON.stringify([series.bot.name, series.metric.name]);
    if (this.waiting.has(key) || key === this.current || performance.now() < this.notBefore.get(key)) return;
    this.waiting.set(key, { series, percentile });
    // A user who scrolls through thousands of rows needs only those in sight. The others are requested when they come
    // back into sight.
    if (this.waiting.size > MOST_WAITING) this.waiting.delete(this.waiting.keys().next().value);
    if (!this.current) this.run();
  }

  async run() {
    while (this.waiting.size > 0) {
      const [key, { series, percentile }] = this.waiting.entries().next().value;
      this.waiting.delete(key);
      this.current = key;
      try {
        await this.fetch(series.bot, series.metric.name, percentile);
      } catch (error) {
        if (error.name === "AbortError") break;
        this.notBefore.set(key, performance.now() + RETRY_MILLISECONDS);
      }
    }
    this.current = undefined;
  }

  /** Returns the stored series of a metric of a bot. None are stored of a bot that has just come. */
  async stored(bot, metric) {
    if (bot.name.length + metric.length > LONGEST_NAME || !(await isKept())) return [];
    const query = new URLSearchParams({ bot: bot.name, metric, from: "-11m", step: "60s" });
    const answer = await fetch(`/stats/history?${query}`, { signal: this.abort.signal });
    if (answer.status === 404) return [];
    if (!answer.ok) throw new Error(`the history answers ${answer.status}`);
    return (await answer.json()).series;
  }

  async fetch(bot, metric, percentile) {
    const stored = await this.stored(bot, metric);
    const version = bot.data.labels.version;
    for (const series of bot.series) {
      if (series.metric.name !== metric) continue;
      const found = stored.find(({ labels }) => Object.entries(series.metric.labels).every(([name, value]) => labels[name] === value)
        && (!version || labels.version === version));
      series.past = (found?.points ?? []).map((point) => [point.time, point[percentile] ?? null, isFlawed(point, 60)]);
    }
    this.onArrival();
  }
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)_bucket\{(.*)\} \S+ # \{(.*?)\} (\S+)(?: (\S+))?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

function labelsOf(text) {
  const labels = {};
  for (const [, name, value] of text.matchAll(LABEL)) labels[name] = value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
  return labels;
}

/** Returns the exemplars of a series, which are values with the id of their trace. They come from `/metrics`. */
export async function askExemplars(metric, bot, labels, signal) {
  const answer = await fetch("/metrics", { headers: { Accept: "application/openmetrics-text" }, signal, cache: "no-store" });
  if (!answer.ok) return [];
  const found = [];
  for (const line of (await answer.text()).split("\n")) {
    if (!line.startsWith(`${metric}_bucket{`) || !line.includes(" # {")) continue;
    const match = SAMPLE.exec(line);
    if (!match || match[1] !== metric) continue;
    const own = labelsOf(match[2]);
    if (own.bot !== bot || Object.entries(labels).some(([name, value]) => own[name] !== value)) continue;
    found.push({ trace: labelsOf(match[3]).trace_id ?? match[3], value: Number(match[4]), time: Number(match[5]) });
  }
  return found.filter(({ time }) => time > 0);
}
