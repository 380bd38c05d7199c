// Asks the collector for the stored minutes of a metric.

const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
const MOST_POINTS = 150;

export const stepFor = (seconds) => STEPS.find((step) => seconds / step <= MOST_POINTS) ?? 86400 * Math.ceil(seconds / 86400 / MOST_POINTS);

function path({ metric, bot, labels, from, to, step, distribution }) {
  const query = new URLSearchParams({ metric, bot, from: String(Math.floor(from)), to: String(Math.ceil(to)), step: `${step}s`, merge: "1" });
  for (const [name, value] of Object.entries(labels)) query.append(`label.${name}`, value);
  if (distribution) query.append("distribution", "1");
  return `/stats/history?${query}`;
}

/** Whether this collector keeps a history: without a state directory it has none, and is not asked. */
let kept;
function isKept() {
  kept ??= fetch("/", { headers: { Accept: "application/json" } }).then((answer) => answer.json())
    .then(({ endpoints }) => endpoints.includes("/stats/history")).catch(() => true);
  return kept;
}

const LONGEST_NAME = 500;
const MOST_WAITING = 60;

/** The answer, or an error whose message is the collector's own sentence. */
export async function ask(query, signal) {
  if (!(await isKept())) return { unwatched: [], series: [] };
  const answer = await fetch(path(query), { signal, cache: "no-store" });
  if (answer.status === 404) return { unwatched: [], series: [], words: await answer.text() };
  if (!answer.ok) throw new Error((await answer.text()).slice(0, 300));
  return answer.json();
}

/** The alerts that fired lately, newest first. */
export async function askAlerts() {
  if (!(await isKept())) return null;
  const answer = await fetch("/stats/history?alerts&from=-7d&limit=200", { cache: "no-store" });
  if (!answer.ok) throw new Error((await answer.text()).slice(0, 300));
  return (await answer.json()).alerts;
}

/** All values of a range as one: a point with its distribution; null where there is none. */
export async function askWhole(query, signal) {
  const minutes = Math.ceil(query.to / 60) - Math.floor(query.from / 60);
  const { series } = await ask({ ...query, step: minutes * 60, distribution: true }, signal);
  return series[0]?.points.find((point) => point.count > 0) ?? null;
}

/** The label values under which a metric of a bot is stored, such as its versions. */
export async function askListing(bot, signal) {
  if (!(await isKept())) return [];
  const answer = await fetch(`/stats/history?${new URLSearchParams({ bot })}`, { signal, cache: "no-store" });
  return answer.ok ? (await answer.json()).series : [];
}

/** Whether a step is known in part only. One that has not ended yet is no flaw, unless something was lost. */
export const isFlawed = (point, step) => point.lost > 0 || (!point.complete && point.time + step < Date.now() / 1000);

/** Fetches the last ten minutes of the series that are in sight, for their sparklines: one request at a time, each once. */
export class Past {
  constructor(onArrival) {
    this.onArrival = onArrival;
    this.waiting = new Map();
    this.abort = new AbortController();
  }

  stop() {
    this.abort.abort();
    this.waiting.clear();
  }

  want(series, percentile) {
    if (series.past || this.abort.signal.aborted) return;
    series.past = [];
    const key = JSON.stringify([series.bot.name, series.metric.name]);
    if (!this.waiting.has(key)) this.waiting.set(key, { series, percentile });
    // A user who scrolls through thousands of rows needs only those in sight. The others are requested when they come
    // back into sight.
    if (this.waiting.size > MOST_WAITING) {
      const [oldest, { series: left }] = this.waiting.entries().next().value;
      this.waiting.delete(oldest);
      left.past = undefined;
    }
    if (!this.isBusy) this.run();
  }

  async run() {
    this.isBusy = true;
    while (this.waiting.size > 0) {
      const [key, { series, percentile }] = this.waiting.entries().next().value;
      this.waiting.delete(key);
      try {
        await this.fetch(series.bot, series.metric.name, percentile);
      } catch (error) {
        if (error.name === "AbortError") break;
      }
    }
    this.isBusy = false;
  }

  async fetch(bot, metric, percentile) {
    if (bot.name.length + metric.length > LONGEST_NAME || !(await isKept())) return;
    const query = new URLSearchParams({ bot: bot.name, metric, from: "-11m", step: "60s" });
    const answer = await fetch(`/stats/history?${query}`, { signal: this.abort.signal });
    if (!answer.ok) return;
    const stored = (await answer.json()).series;
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

/** The exemplars of a series: values that carry the id of their trace. They are on the page for Prometheus. */
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
