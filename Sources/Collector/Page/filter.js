// Reads the search field. It holds words that must all match, each anywhere in a series or in one named part of it:
//   round trip    bot:demo1    plane:orders    name:latency    venue=simulated

import { baseValue } from "./units.js";

const PARTS = {
  bot: (series) => series.bot.name,
  plane: (series) => series.plane,
  name: (series) => series.metric.name,
  kind: (series) => series.metric.kind,
};

export function parseSearch(text) {
  return text.trim().toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const [, part, value] = /^(bot|plane|name|kind):(.*)$/.exec(word) ?? [];
    if (part) return (series) => PARTS[part](series).toLowerCase().includes(value);
    const equals = word.indexOf("=");
    if (equals > 0) {
      const [label, wanted] = [word.slice(0, equals), word.slice(equals + 1)];
      return (series) => {
        const known = { ...series.bot.data.labels, ...series.metric.labels };
        return Object.entries(known).some(([name, each]) => name.toLowerCase() === label && each.toLowerCase().includes(wanted));
      };
    }
    return (series) => series.search.includes(word);
  });
}

export const matches = (series, tests) => tests.every((test) => test(series));

/** Returns whether a bot matches the search by its name, its state and its constant labels. */
export function matchesBot(bot, text) {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const known = `${bot.name} ${bot.state} ${Object.entries(bot.data.labels).map(([name, value]) => `${name}=${value}`).join(" ")}`.toLowerCase();
  return words.every((word) => known.includes(word.replace(/^bot:/, "")));
}

/** Returns the slowest durations of all bots that are up, by a percentile of a window. */
export function slowest(fleet, span, percentile, most) {
  const found = [];
  for (const series of fleet.allSeries()) {
    if (series.metric.kind !== "histogram" || !series.isDuration || !series.bot.data.up) continue;
    const value = baseValue(series.metric.windows[span]?.[percentile] ?? null, series.metric.unit);
    if (value !== null) found.push({ series, value });
  }
  return found.sort((a, b) => b.value - a.value).slice(0, most);
}
