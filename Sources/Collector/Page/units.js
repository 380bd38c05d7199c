// Formats numbers for people. The unit depends on the magnitude. A figure that is scaled has three significant digits,
// since the sketch is exact to 0.271 %. Counts have all their digits, and so have whole numbers below 100,000.

const SECONDS = [[1e-9, "ns"], [1e-6, "\u00b5s"], [1e-3, "ms"], [1, "s"]];
const BYTES = [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]];
const PLAIN = [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"]];
const NONE = { number: "\u2013", unit: "" };

// The sizes of units that a bot may have chosen, in the base unit.
const IN_SECONDS = new Map([
  ["seconds", 1], ["sec", 1], ["secs", 1], ["s", 1], ["nanoseconds", 1e-9], ["nanos", 1e-9], ["nsec", 1e-9], ["ns", 1e-9],
  ["microseconds", 1e-6], ["micros", 1e-6], ["usec", 1e-6], ["us", 1e-6], ["milliseconds", 1e-3], ["millis", 1e-3],
  ["msec", 1e-3], ["ms", 1e-3], ["minutes", 60], ["hours", 3600], ["days", 86400],
]);
const IN_BYTES = new Map([
  ["bytes", 1], ["kilobytes", 1e3], ["megabytes", 1e6], ["gigabytes", 1e9], ["terabytes", 1e12], ["kibibytes", 1024],
  ["mebibytes", 1048576], ["gibibytes", 1073741824], ["tebibytes", 1099511627776], ["kib", 1024], ["mib", 1048576],
  ["gib", 1073741824], ["tib", 1099511627776],
]);
const SHARES = new Map([["ratio", 100], ["percent", 1], ["pct", 1], ["permille", 0.1]]);

export const isDuration = (unit) => IN_SECONDS.has(unit);

/** Returns a duration in seconds, a size in bytes, and any other value as it is. Figures are ranked by this value. */
export const baseValue = (value, unit) => (value === null ? null : value * (IN_SECONDS.get(unit) ?? IN_BYTES.get(unit) ?? 1));

/** Returns a number with three significant digits: 1.23, 12.3, 123. From 1,000 on, it has all its whole digits. */
function digits(value, precision = 3) {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return "0";
  if (precision > 3 && magnitude >= 0.001) return precise(value, precision);
  if (magnitude >= 999.5) return grouped(Math.round(value));
  if (magnitude >= 99.95) return value.toFixed(0);
  if (magnitude >= 9.995) return value.toFixed(1);
  if (magnitude >= 0.9995) return value.toFixed(2);
  if (magnitude >= 0.001) return value.toPrecision(3);
  return value.toExponential(2);
}

/** Returns a number with more digits than three, without zeros at its end. */
function precise(value, precision) {
  const [whole, part] = String(Number(value.toPrecision(precision))).split(".");
  return part ? `${grouped(whole)}.${part}` : grouped(whole);
}

function scaled(value, steps, precision = 3) {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return { number: "0", unit: steps === PLAIN ? "" : steps[0][1] };
  let [size, unit] = steps[0];
  // Without the factor, 999.5 of a unit would be shown as 1,000 of it. It becomes 1.00 of the next unit.
  for (const [next, name] of steps) if (magnitude >= next * 0.9995) [size, unit] = [next, name];
  return { number: digits(value / size, precision), unit };
}

/**
 * Returns a value and its unit, apart, so that a column can align both. Null becomes a dash. Only the axis of a chart
 * asks for more than three digits.
 */
export function figure(value, unit = "", precision = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return NONE;
  const seconds = IN_SECONDS.get(unit);
  if (seconds) return scaled(value * seconds, SECONDS, precision);
  const bytes = IN_BYTES.get(unit);
  if (bytes) return scaled(value * bytes, BYTES, precision);
  const share = SHARES.get(unit);
  if (share) return { number: digits(value * share, precision), unit: "%" };
  if (unit === "usd") return { number: money(value), unit: "USD" };
  if (unit === "bps") return { number: digits(value, precision), unit: "bps" };
  const plain = Number.isInteger(value) && Math.abs(value) < 1e5 ? { number: grouped(value), unit: "" } : scaled(value, PLAIN, precision);
  return unit ? { number: plain.number + plain.unit, unit } : plain;
}

export function text(value, unit) {
  const { number, unit: name } = figure(value, unit);
  return name ? `${number}\u00a0${name}` : number;
}

/** Returns a round value as a text for an axis: 1 ms, not 1.00 ms. */
function tick(value, unit, precision) {
  const { number, unit: name } = figure(value, unit, precision);
  const plain = number.replace(/\.(\d*?)0+(?!\d)/, (_, kept) => (kept ? `.${kept}` : ""));
  return name ? `${plain}\u00a0${name}` : plain;
}

const MOST_DIGITS = 12;

/** Returns the texts of an axis. They have at least three digits, and as many as it takes to tell neighbours apart. */
export function ticks(values, unit) {
  const gaps = values.slice(1).map((value, index) => Math.abs(value - values[index]));
  const error = Math.min(...gaps) / 100;
  let precision = 3;
  while (precision < MOST_DIGITS && values.some((value) => Math.abs(Number(value.toPrecision(precision)) - value) > error)) precision += 1;
  return values.map((value) => tick(value, unit, precision));
}

/** Returns the share of an error budget that is left, or how many times the budget was spent. */
export function budget(value) {
  if (value === null || value === undefined) return "\u2013";
  return value >= 0 ? share(value, 1) : `spent ${Number((1 - value).toPrecision(2))}\u00d7`;
}

/** Returns a number per second, and its unit, apart. */
export function rate(value) {
  if (value === null || value === undefined) return NONE;
  const { number, unit } = Math.abs(value) < 1e5 ? { number: digits(value), unit: "" } : scaled(value, PLAIN);
  return { number: number + unit, unit: "/s" };
}

export const rateText = (value) => (value === null || value === undefined ? "\u2013" : join(rate(value)));

const join = ({ number, unit }) => `${number}${unit}`;

/** Returns a count as a whole number with groups of three digits. */
export const count = (value) => (value === null || value === undefined ? "\u2013" : grouped(Math.round(value)));

function grouped(whole) {
  return String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function money(value) {
  if (Math.abs(value) >= 1e12) return join(scaled(value, PLAIN));
  if (Math.abs(value) >= 999_999.995) return grouped(Math.round(value));
  const [whole, cents] = Math.abs(value).toFixed(2).split(".");
  const sign = value < 0 && Number(whole) + Number(cents) > 0 ? "-" : "";
  return `${sign}${grouped(whole)}.${cents}`;
}

/** Returns a length of time in words: 4 s, 12 min, 3 h 10 min, 2 d 4 h. */
export function age(seconds) {
  if (seconds === null || seconds === undefined) return "\u2013";
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  if (whole < 7200) return `${Math.floor(whole / 60)} min`;
  if (whole < 172800) return `${Math.floor(whole / 3600)} h ${Math.floor(whole / 60) % 60} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor(whole / 3600) % 24} h`;
}

const pad = (value) => String(value).padStart(2, "0");

/** Returns the time of day of a moment in Unix seconds. The day precedes it if it is not today. */
export function moment(unixSeconds, withSeconds = true) {
  const date = new Date(unixSeconds * 1000);
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}${withSeconds ? `:${pad(date.getSeconds())}` : ""}`;
  return date.toDateString() === new Date().toDateString() ? time : `${day(date)} ${time}`;
}

export const day = (date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;

/** Returns a share in per cent with at most `places` decimals: 99.95 %. */
export function share(value, places = 2) {
  if (value === null || value === undefined) return "\u2013";
  return `${Number((value * 100).toFixed(places))}\u00a0%`;
}

/** Returns the usual name of a percentile: p99.9 for `p999`, p5 for `p05`. */
export const percentileName = (key) => `p${Number((quantileOf(key) * 100).toPrecision(12))}`;

export const quantileOf = (key) => (key === "p100" ? 1 : Number(`0.${key.slice(1)}`));
