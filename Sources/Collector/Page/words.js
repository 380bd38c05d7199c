// Describes states, and doubts about figures, in words. Each state has a sign of its own shape, so that no colour is
// needed to distinguish the states.

import { age, budget, count, figure, percentileName, share } from "./units.js";

const STATES = {
  up: ["\u25cf", "up", "good"],
  degraded: ["\u25d0", "degraded", "warn"],
  silent: ["\u25cc", "silent", "bad"],
  hung: ["\u25a8", "hung", "bad"],
  down: ["\u25a0", "down", "bad"],
  closed: ["\u25cb", "closed", "calm"],
  unknown: ["?", "unknown", "warn"],
};

/**
 * Returns the sign, the word and the tone of a bot's state. `since` is the time since the bot's last record. It is
 * empty for a bot that is up or degraded, or has no record.
 */
export function stateOf(bot) {
  const [sign, word, tone] = STATES[bot.state] ?? ["?", bot.state, "warn"];
  if (bot.state === "up" && bot.data.rings.some((ring) => ring.disabled)) return { sign: "\u25d1", word: "up, partly off", tone: "warn", since: "" };
  const isWell = bot.state === "up" || bot.state === "degraded" || bot.silence === null;
  return { sign, word, tone, since: isWell ? "" : `for ${age(bot.silence)}` };
}

/** Returns in words whether the figures of a bot's window can be believed. */
export function trustOf(bot, span) {
  if (!bot.data.up) return { words: "no live figures", tone: "calm" };
  const { isComplete, lost } = bot.trust(span);
  if (lost > 0) return { words: `${count(lost)} lost in ${span}`, tone: "bad" };
  if (isComplete === false) return { words: `${span} incomplete`, tone: "warn" };
  if (isComplete === null) return { words: "no figures yet", tone: "calm" };
  return { words: "complete", tone: "quiet" };
}

/** Returns the same for one series. */
export function seriesTrust(series, span) {
  if (!series.bot.data.up) return { words: `bot is ${series.bot.state}`, tone: "calm" };
  const window = series.metric.windows[span];
  if (!window || window.complete === null) return { words: "no figures yet", tone: "calm" };
  if (window.lost > 0) return { words: `${count(window.lost)} lost`, tone: "bad" };
  if (window.complete === false) return { words: "incomplete", tone: "warn" };
  if (series.metric.coarse) return { words: "partly coarse", tone: "warn" };
  return { words: "complete", tone: "quiet" };
}

/** Returns in words how a figure compares with its usual level at this time of day. */
export function usualOf(series, statistic) {
  const level = series.level(statistic);
  if (!level) return { words: "\u2013", tone: "quiet", title: "The collector learns no usual level of this figure." };
  if (level.state === "learning") {
    return { words: "learning", tone: "quiet", title: level.readings < level.readings_needed ? `${level.readings} of ${level.readings_needed} readings of a minute are known.` : "Some days must be known first." };
  }
  if (level.usual === null || level.value === null) return { words: "no data", tone: "quiet", title: "" };
  const factor = level.usual === 0 ? null : level.value / level.usual;
  const name = statistic === "value" || statistic === "rate" ? statistic : percentileName(statistic);
  const range = `${name} of the last minute; usual range ${range2(level)}`;
  const words = factor === null ? level.state : `\u00d7${factor < 0.095 ? factor.toPrecision(1) : factor.toPrecision(2)}`;
  if (level.state === "high") return { words: `\u25b2 ${words}`, tone: "warn", title: range, factor };
  if (level.state === "low") return { words: `\u25bc ${words}`, tone: "warn", title: range, factor };
  return { words, tone: "quiet", title: range, factor };
}

function range2({ usual_low: low, usual_high: high, unit }) {
  const [a, b] = [figure(low, unit), figure(high, unit)];
  return `${a.number} ${a.unit} to ${b.number} ${b.unit}`;
}

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** Returns a list for a sentence. It has at most `most` names, and the number of the others. */
export function list(names, most = 3) {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/**
 * Returns an objective in words: the share that was good in the window that decided, the target, and what is left of its
 * error budget.
 */
export function objectiveInWords(objective) {
  const span = objective.deciding_window;
  const good = span ? `${share(objective.windows[span].compliance, 2)} good in ${span}, ` : "";
  const left = objective.error_budget_remaining;
  const spent = left === null ? "" : `; error budget ${budget(left)}${left >= 0 ? " left" : ""}`;
  return `${good}target ${share(objective.target, 3)}${spent}`;
}
