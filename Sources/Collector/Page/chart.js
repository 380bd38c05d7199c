// Charts in SVG, without a library. Below each chart, the view of an instrument offers a table of its figures.

import { element, shape } from "./dom.js";
import { text, ticks } from "./units.js";

const LEFT = 72;
const RIGHT = 56;
const TOP = 10;
const BOTTOM = 24;

// ---------------------------------------------------------------- scales

/**
 * Returns a scale of values. The scale is logarithmic if all values are above zero and the highest is more than 2.5
 * times the lowest. Otherwise it is linear.
 */
export function valueScale(low, high) {
  if (!(low <= high)) [low, high] = [0, 1];
  if (low > 0 && high / low > 2.5) return logScale(low, high);
  const isFlat = high === low;
  const room = isFlat ? Math.abs(high) * 0.1 || 1 : (high - low) * 0.06;
  const [from, to] = [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
  const step = niceStep((to - from) / 5);
  const ticks = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to + step * 1e-9; tick += step) {
    ticks.push({ value: Math.abs(tick) < step * 1e-9 ? 0 : tick, isMajor: true });
  }
  return { at: (value) => (value - from) / (to - from), ticks, isLog: false };
}

function logScale(low, high) {
  const [from, to] = [Math.log10(low) - 0.06, Math.log10(high) + 0.08];
  const decades = to - from;
  const ticks = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power += 1) {
    for (const factor of [1, 2, 5]) {
      const value = factor * 10 ** power;
      const place = Math.log10(value);
      if (place < from || place > to) continue;
      ticks.push({ value, isMajor: decades < 2.2 || factor === 1, isMinor: factor !== 1 });
    }
  }
  return { at: (value) => (value > 0 ? (Math.log10(value) - from) / (to - from) : 0), ticks, isLog: true };
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000];

function timeTicks(from, to, most) {
  const step = TIME_STEPS.find((each) => (to - from) / each <= most) ?? 864000;
  const offset = new Date(from * 1000).getTimezoneOffset() * 60;
  const ticks = [];
  for (let tick = Math.ceil((from - offset) / step) * step + offset; tick <= to; tick += step) ticks.push(tick);
  return { ticks, step };
}

function timeLabel(time, step) {
  const date = new Date(time * 1000);
  const two = (value) => String(value).padStart(2, "0");
  if (step >= 86400) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  if (step >= 3600 && date.getHours() === 0) return `${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return step < 60 ? `${clock}:${two(date.getSeconds())}` : clock;
}

// ---------------------------------------------------------------- frame

let hatches = 0;

/** A picture. It is drawn again whenever it gets figures or its width changes. */
class Picture {
  constructor({ label, height, className = "" }) {
    this.height = height;
    this.hatch = `hatch${(hatches += 1)}`;
    this.svg = shape("svg", { role: "img", "aria-label": label, class: `chart ${className}`, height });
    this.node = element("div", { class: "picture" }, this.svg);
    this.width = 0;
    this.observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width === this.width || width === 0) return;
      this.width = width;
      this.svg.setAttribute("width", width);
      if (this.data) this.draw();
    });
    this.observer.observe(this.node);
  }

  destroy() {
    this.observer.disconnect();
  }

  set(data) {
    this.data = data;
    if (this.width > 0) this.draw();
  }

  get plotWidth() {
    return Math.max(10, this.width - LEFT - RIGHT);
  }

  get plotHeight() {
    return this.height - TOP - BOTTOM;
  }

  y(share) {
    return round(TOP + this.plotHeight * (1 - share));
  }

  drawValueAxis(scale, unit) {
    const group = shape("g", { class: "axis" });
    const words = ticks(scale.ticks.map(({ value }) => value), unit);
    for (const [index, { value, isMajor, isMinor }] of scale.ticks.entries()) {
      const y = this.y(scale.at(value));
      if (y < TOP - 1 || y > TOP + this.plotHeight + 1) continue;
      group.append(shape("line", { x1: LEFT, x2: LEFT + this.plotWidth, y1: y, y2: y, class: isMinor ? "grid minor" : "grid" }));
      if (isMajor) group.append(label(LEFT - 8, y + 4, words[index], "end"));
    }
    return group;
  }

  /** Returns the words that replace the figures if there are none. */
  message() {
    const words = this.data.words ?? "Nothing was recorded in this range.";
    return label(LEFT + this.plotWidth / 2, TOP + this.plotHeight / 2, words, "middle", "words");
  }
}

const round = (value) => Math.round(value * 10) / 10;

function label(x, y, words, anchor = "start", name = "") {
  const node = shape("text", { x: round(x), y: round(y), "text-anchor": anchor, class: name });
  node.textContent = words;
  return node;
}

function extent(values, low = Infinity, high = -Infinity) {
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// ---------------------------------------------------------------- values over time

/**
 * Lines over time. The data are { from, to, step, unit, lines: [{ name, className, points: [[time, value]] }], flaws:
 * [{ from, to, words, kind: "lossy" | "unwatched" }], thresholds: [{ value, words }], dots: [{ time, value, words }],
 * ghosts, mark: { from, to }, words }. The ghosts are the lines of a comparison, without names. The mark is the range
 * of the comparison. The words replace the lines if there is no value.
 *
 * `onPick(from, to, isSecond)` gets a range that the reader dragged or picked by the keyboard. `onRead(time)` gets the
 * time under the cursor, or null. `onDot(dot, isPressed)` gets a dot that the reader pressed or focused. For a press,
 * `isPressed` is left out.
 */
export class TimeChart extends Picture {
  constructor(options) {
    super({ height: 300, ...options });
    this.onPick = options.onPick;
    this.onRead = options.onRead;
    this.onDot = options.onDot;
    this.cursor = null;
    this.anchor = null;
    const svg = this.svg;
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.setAttribute("aria-roledescription", "chart");
    svg.addEventListener("pointerdown", (event) => this.begin(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.end(event));
    svg.addEventListener("pointercancel", () => this.choose(null));
    svg.addEventListener("pointerleave", () => this.anchor === null && this.read(null));
    svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  x(time) {
    const { from, to } = this.data;
    return round(LEFT + ((time - from) / (to - from)) * this.plotWidth);
  }

  timeAt(x) {
    const { from, to } = this.data;
    return from + (Math.min(Math.max(x - LEFT, 0), this.plotWidth) / this.plotWidth) * (to - from);
  }

  draw() {
    const { data, svg } = this;
    const { lines, ghosts = [], thresholds = [], dots = [], flaws = [], unit } = data;
    let [low, high] = extent([...lines, ...ghosts].flatMap(({ points }) => points.map(([, value]) => value)));
    const isEmpty = low > high;
    [low, high] = extent(dots.map((dot) => dot.value), low, high);
    // A threshold far from all values would flatten the lines. The chart then leaves it out, and the facts above the
    // chart still name it.
    const near = thresholds.filter(({ value }) => isEmpty || (value > 0 && value / high < 30 && low / value < 300) || low <= 0);
    [low, high] = extent(near.map(({ value }) => value), low, high);
    this.scale = valueScale(low, high);
    svg.replaceChildren(this.hatching(), isEmpty ? "" : this.drawValueAxis(this.scale, unit), this.drawTimes(), ...flaws.map((each) => this.drawFlaw(each)));
    if (data.mark) svg.append(this.band(data.mark.from, data.mark.to, "marked"));
    for (const line of ghosts) svg.append(...this.drawLine(line, "ghost"));
    for (const line of lines) svg.append(...this.drawLine(line, ""));
    for (const threshold of near) svg.append(...this.drawThreshold(threshold));
    svg.append(...this.drawEnds(lines));
    for (const dot of dots) svg.append(this.drawDot(dot));
    if (isEmpty) svg.append(this.message());
    this.overlay = shape("g", { class: "overlay" });
    svg.append(this.overlay);
    this.drawOverlay();
  }

  hatching() {
    const pattern = shape("pattern", { id: this.hatch, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      shape("line", { x1: 0, x2: 0, y1: 0, y2: 6, class: "hatch" }));
    const clip = shape("clipPath", { id: `${this.hatch}clip` },
      shape("rect", { x: LEFT, y: TOP - 4, width: this.plotWidth, height: this.plotHeight + 8 }));
    return shape("defs", {}, pattern, clip);
  }

  drawTimes() {
    const { from, to } = this.data;
    const { ticks, step } = timeTicks(from, to, Math.max(2, Math.floor(this.plotWidth / 90)));
    const group = shape("g", { class: "axis" });
    const bottom = TOP + this.plotHeight;
    for (const tick of ticks) {
      const x = this.x(tick);
      group.append(shape("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, class: "tick" }), label(x, bottom + 17, timeLabel(tick, step), "middle"));
    }
    group.append(shape("line", { x1: LEFT, x2: LEFT + this.plotWidth, y1: bottom, y2: bottom, class: "base" }));
    return group;
  }

  band(from, to, name, fill) {
    const x = this.x(Math.max(from, this.data.from));
    const width = Math.max(1, this.x(Math.min(to, this.data.to)) - x);
    return shape("rect", { x, y: TOP, width, height: this.plotHeight, class: name, fill });
  }

  drawFlaw({ from, to, kind, words }) {
    const band = this.band(from, to, `flaw ${kind}`, kind === "lossy" ? `url(#${this.hatch})` : undefined);
    const title = shape("title");
    title.textContent = words;
    band.append(title);
    return band;
  }

  /**
   * Returns the shapes of a line. The line breaks at a missing value, and between two values that are more than 1.6
   * steps apart. A lone value becomes a dot.
   */
  drawLine({ points, className }, more) {
    const { step } = this.data;
    const parts = [];
    const alone = [];
    let run = [];
    const finish = () => {
      if (run.length === 1) alone.push(run[0]);
      else if (run.length > 1) parts.push(`M${run.join("L")}`);
      run = [];
    };
    let last = null;
    for (const [time, value] of points) {
      if (value === null || !Number.isFinite(value)) {
        finish();
        continue;
      }
      if (last !== null && time - last > step * 1.6) finish();
      run.push(`${this.x(time)},${this.y(this.scale.at(value))}`);
      last = time;
    }
    finish();
    const nodes = [];
    const clip = `url(#${this.hatch}clip)`;
    if (parts.length) nodes.push(shape("path", { d: parts.join(""), class: `line ${className} ${more}`, "clip-path": clip }));
    for (const place of alone) {
      const [x, y] = place.split(",");
      nodes.push(shape("circle", { cx: x, cy: y, r: 2, class: `lone ${className} ${more}`, "clip-path": clip }));
    }
    return nodes;
  }

  /**
   * Returns the names of the lines, for their right ends. With them, the reader does not have to look up colours. The
   * names are at least 13 px apart, so that they do not overlap.
   */
  drawEnds(lines) {
    const ends = lines.map((line, index) => {
      const last = line.points.findLast(([, value]) => value !== null);
      return last ? { line, index, y: this.y(this.scale.at(last[1])) } : null;
    }).filter(Boolean).sort((a, b) => a.y - b.y || b.index - a.index);
    for (let index = 1; index < ends.length; index += 1) ends[index].y = Math.max(ends[index].y, ends[index - 1].y + 13);
    const over = ends.length ? ends.at(-1).y - (TOP + this.plotHeight) : 0;
    if (over > 0) for (const end of ends) end.y -= over;
    return ends.map(({ line, y }) => label(LEFT + this.plotWidth + 6, y + 4, line.name, "start", `end ${line.className}`));
  }

  drawThreshold({ value, words }) {
    const y = this.y(this.scale.at(value));
    return [
      shape("line", { x1: LEFT, x2: LEFT + this.plotWidth, y1: y, y2: y, class: "threshold" }),
      label(LEFT + 6, y > TOP + 16 ? y - 5 : y + 13, words, "start", "threshold-words"),
    ];
  }

  drawDot(dot) {
    if (dot.time < this.data.from || dot.time > this.data.to) return shape("g");
    const node = shape("circle", {
      cx: this.x(dot.time), cy: this.y(this.scale.at(dot.value)), r: 4, class: "dot", tabindex: 0, role: "button", "aria-label": dot.words,
    });
    const title = shape("title");
    title.textContent = dot.words;
    node.append(title);
    node.addEventListener("pointerdown", (event) => event.stopPropagation());
    node.addEventListener("click", () => this.onDot?.(dot));
    node.addEventListener("focus", () => this.onDot?.(dot, false));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.onDot?.(dot);
      event.stopPropagation();
    });
    return node;
  }

  // The cursor and the selection are drawn over the chart. The chart itself is not drawn again for them.

  place(event) {
    return event.clientX - this.svg.getBoundingClientRect().left;
  }

  begin(event) {
    if (event.button !== 0 || !this.data) return;
    this.svg.setPointerCapture(event.pointerId);
    this.anchor = this.timeAt(this.place(event));
    this.isSecond = event.shiftKey;
    this.read(this.anchor);
  }

  move(event) {
    if (this.data) this.read(this.timeAt(this.place(event)));
  }

  end(event) {
    if (this.anchor === null) return;
    const [from, to] = [this.anchor, this.timeAt(this.place(event))].sort((a, b) => a - b);
    const isWide = Math.abs(this.x(to) - this.x(from)) > 5;
    this.choose(null);
    if (isWide) this.onPick?.(from, to, event.shiftKey || this.isSecond);
  }

  choose(anchor) {
    this.anchor = anchor;
    this.drawOverlay();
  }

  read(time) {
    this.cursor = time;
    this.drawOverlay();
    this.onRead?.(time);
  }

  drawOverlay() {
    if (!this.overlay) return;
    this.overlay.replaceChildren();
    if (this.anchor !== null && this.cursor !== null) {
      const [from, to] = [this.anchor, this.cursor].sort((a, b) => a - b);
      this.overlay.append(this.band(from, to, "selection"));
    }
    if (this.cursor !== null) {
      const x = this.x(this.cursor);
      this.overlay.append(shape("line", { x1: x, x2: x, y1: TOP, y2: TOP + this.plotHeight, class: "cursor" }));
    }
  }

  onKey(event) {
    const { from, to, step } = this.data;
    const stride = Math.max(step, (to - from) / 120) * (event.ctrlKey ? 10 : 1);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const start = this.cursor ?? to;
      if (event.shiftKey && this.anchor === null) this.anchor = start;
      if (!event.shiftKey) this.anchor = null;
      this.read(Math.min(to, Math.max(from, start + (event.key === "ArrowLeft" ? -stride : stride))));
    } else if (event.key === "Enter" && this.anchor !== null && this.anchor !== this.cursor) {
      const range = [this.anchor, this.cursor].sort((a, b) => a - b);
      this.choose(null);
      this.onPick?.(range[0], range[1], event.altKey);
    } else if (event.key === "Escape" && (this.anchor !== null || this.cursor !== null)) {
      this.anchor = null;
      this.read(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

// ---------------------------------------------------------------- distributions

const nines = (quantile) => -Math.log10(1 - quantile);

/**
 * Values by percentile, on an axis of nines. The data are { unit, curves: [{ name, className, points: [[quantile,
 * value]], count }], thresholds: [{ value, words }] }.
 */
export class PercentileChart extends Picture {
  constructor(options) {
    super({ height: 260, ...options });
  }

  draw() {
    const { curves, unit, thresholds = [] } = this.data;
    if (!curves.some(({ points }) => points.length > 0)) return this.svg.replaceChildren(this.message());
    const shown = curves.map((curve) => ({
      ...curve,
      // A sketch of n values has no percentile beyond 1 - 1/n. Points beyond it, and the highest value itself, are left
      // out.
      points: curve.points.filter(([quantile]) => quantile < 1 && 1 - quantile >= 0.999 / Math.max(1, curve.count)),
    }));
    const most = Math.max(2, ...shown.flatMap(({ points }) => points.map(([quantile]) => nines(quantile))));
    const [low, high] = extent(shown.flatMap(({ points }) => points.map(([, value]) => value)));
    const near = thresholds.filter(({ value }) => value >= low / 3 && value <= high * 10);
    const scale = valueScale(...extent(near.map(({ value }) => value), low, high));
    const x = (quantile) => round(LEFT + (nines(quantile) / most) * this.plotWidth);
    this.svg.replaceChildren(this.drawValueAxis(scale, unit));
    const bottom = TOP + this.plotHeight;
    const ticks = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999].filter((each) => nines(each) <= most + 0.001);
    let last = Infinity;
    for (const tick of ticks.reverse()) {
      this.svg.append(shape("line", { x1: x(tick), x2: x(tick), y1: TOP, y2: bottom + 4, class: "grid" }));
      // Where the picture is narrow, the higher percentiles have their names.
      if (last - x(tick) < 40) continue;
      last = x(tick);
      this.svg.append(label(last, bottom + 17, `${Number((tick * 100).toPrecision(7))} %`, "middle", "tick-words"));
    }
    this.svg.append(shape("line", { x1: LEFT, x2: LEFT + this.plotWidth, y1: bottom, y2: bottom, class: "base" }));
    for (const { value, words } of near) {
      const y = this.y(scale.at(value));
      this.svg.append(
        shape("line", { x1: LEFT, x2: LEFT + this.plotWidth, y1: y, y2: y, class: "threshold" }),
        label(LEFT + 6, y > TOP + 16 ? y - 5 : y + 13, words, "start", "threshold-words"));
    }
    for (const { points, className } of shown) {
      if (points.length === 0) continue;
      const places = points.map(([quantile, value]) => [x(quantile), this.y(scale.at(value))]);
      if (places.length > 1) this.svg.append(shape("path", { d: `M${places.map((place) => place.join()).join("L")}`, class: `line ${className}` }));
      else this.svg.append(shape("circle", { cx: places[0][0], cy: places[0][1], r: 3, class: `lone ${className}` }));
    }
  }
}

/**
 * The share of the values in each bucket. The data are { unit, curves: [{ name, className, buckets: [[lower, upper,
 * count]] }] }. The picture shows shares, not counts.
 */
export class Histogram extends Picture {
  constructor(options) {
    super({ height: 260, ...options });
  }

  draw() {
    const { curves, unit } = this.data;
    const shown = curves.filter(({ buckets }) => buckets.length > 0);
    if (shown.length === 0) {
      this.svg.replaceChildren(this.message());
      return;
    }
    const edges = shown.flatMap(({ buckets }) => buckets.flatMap(([lower, upper]) => [lower, upper]));
    const across = valueScale(...extent(edges));
    const shares = shown.map(({ buckets }) => {
      const total = buckets.reduce((sum, [, , count]) => sum + count, 0);
      return buckets.map(([lower, upper, count]) => ({ lower, upper, share: count / total }));
    });
    const most = Math.max(...shares.flat().map(({ share }) => share));
    const up = valueScale(0, most);
    const x = (value) => round(LEFT + across.at(value) * this.plotWidth);
    const bottom = TOP + this.plotHeight;
    this.svg.replaceChildren(this.drawShareAxis(up));
    let last = -Infinity;
    const words = ticks(across.ticks.map(({ value }) => value), unit);
    for (const [index, { value, isMajor }] of across.ticks.entries()) {
      if (!isMajor || x(value) - last < 52 || x(value) > LEFT + this.plotWidth) continue;
      last = x(value);
      this.svg.append(
        shape("line", { x1: last, x2: last, y1: bottom, y2: bottom + 4, class: "tick" }), label(last, bottom + 17, words[index], "middle"));
    }
    shares.forEach((bars, index) => {
      const { className } = shown[index];
      // The first curve is drawn as bars. The curves of the comparison are drawn as outlines over the bars.
      if (index > 0) {
        const up1 = (share) => round(bottom - this.plotHeight * (up.at(share) - up.at(0)));
        let path = `M${x(bars[0].lower)},${bottom}`;
        let edge = bars[0].lower;
        for (const { lower, upper, share } of bars) {
          if (lower > edge * 1.0001) path += `V${bottom}H${x(lower)}`;
          path += `V${up1(share)}H${x(upper)}`;
          edge = upper;
        }
        this.svg.append(shape("path", { d: `${path}V${bottom}`, class: `line outline ${className}` }));
        return;
      }
      for (const { lower, upper, share } of bars) {
        const left = x(lower);
        const height = this.plotHeight * up.at(share) - this.plotHeight * up.at(0);
        const width = Math.max(1, x(upper) - left - 0.6);
        const bar = shape("rect", { x: left, y: round(bottom - height), width: round(width), height: round(height), class: `bar ${className}` });
        const title = shape("title");
        title.textContent = `${text(lower, unit)} to ${text(upper, unit)}: ${(share * 100).toPrecision(3)} % of the values`;
        bar.append(title);
        this.svg.append(bar);
      }
    });
    this.svg.append(shape("line", { x1: LEFT, x2: LEFT + this.plotWidth, y1: bottom, y2: bottom, class: "base" }));
  }

  drawShareAxis(scale) {
    const group = shape("g", { class: "axis" });
    for (const { value } of scale.ticks) {
      const y = this.y(scale.at(value));
      group.append(
        shape("line", { x1: LEFT, x2: LEFT + this.plotWidth, y1: y, y2: y, class: "grid" }),
        label(LEFT - 8, y + 4, `${Number((value * 100).toPrecision(3))} %`, "end"));
    }
    return group;
  }
}

// ---------------------------------------------------------------- sparkline

const SPARK_WIDTH = 120;
const SPARK_HEIGHT = 20;
const SPARK_BINS = 60;

/**
 * A line of the last ten minutes, in bins of ten seconds. A bin shows the highest of its values. The line moves by one
 * bin every ten seconds. Its end moves whenever the last bin gets a higher value.
 */
export class Sparkline {
  constructor() {
    this.line = shape("path", { class: "spark" });
    this.flaws = shape("path", { class: "spark-flaw" });
    this.node = shape("svg", { width: SPARK_WIDTH, height: SPARK_HEIGHT, viewBox: `0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}`, "aria-hidden": "true", class: "sparkline" }, this.flaws, this.line);
  }

  /**
   * Shows the trail, and before it the minutes of the history. `past` has a [time, value, isFlawed] for each minute.
   */
  set(trail, index, now, past = []) {
    const bins = new Float64Array(SPARK_BINS).fill(NaN);
    const flaws = new Uint8Array(SPARK_BINS);
    const width = 600 / SPARK_BINS;
    const end = Math.ceil(now / width);
    trail?.forEach(now, 600, (time, place) => {
      const bin = SPARK_BINS - 1 - (end - Math.ceil(time / width));
      if (bin < 0 || bin >= SPARK_BINS) return;
      const value = trail.values[place * trail.width + index];
      if (!Number.isNaN(value) && !(value <= bins[bin])) bins[bin] = value;
      if (trail.flaws[place]) flaws[bin] = 1;
    });
    let first = bins.findIndex((value) => !Number.isNaN(value));
    if (first < 0) first = SPARK_BINS;
    for (const [time, value, isFlawed] of past) {
      const bin = SPARK_BINS - 1 - (end - Math.ceil(time / width));
      for (let each = Math.max(0, bin + 1); each <= bin + 6 && each < first; each += 1) {
        if (value !== null) bins[each] = value;
        if (isFlawed) flaws[each] = 1;
      }
    }
    const [path, marks] = [this.path(bins), flaws.reduce((text, flaw, bin) => (flaw ? `${text}M${bin * 2},${SPARK_HEIGHT - 1}h2` : text), "")];
    if (path !== this.shown) this.line.setAttribute("d", (this.shown = path));
    if (marks !== this.marked) this.flaws.setAttribute("d", (this.marked = marks));
  }

  path(bins) {
    const [low, high] = extent(bins);
    if (low > high) return "";
    // If all values are above zero, there is at least a factor of four between bottom and top, so that noise does not
    // look like a peak.
    let at;
    if (low > 0) {
      const middle = (Math.log(low) + Math.log(high)) / 2;
      const half = Math.max(Math.log(high / low) / 2, Math.log(2));
      at = (value) => (Math.log(value) - middle + half) / (2 * half);
    } else {
      const room = high - low || 1;
      at = (value) => (value - low) / room;
    }
    let text = "";
    let isOpen = false;
    bins.forEach((value, bin) => {
      if (Number.isNaN(value)) {
        isOpen = false;
        return;
      }
      const y = round(SPARK_HEIGHT - 3 - at(value) * (SPARK_HEIGHT - 6));
      text += isOpen ? `L${bin * 2 + 1},${y}` : `M${bin * 2},${y}h1`;
      isOpen = true;
    });
    return text;
  }
}

/**
 * Returns the length of the bar that shows a duration's magnitude, from 0 to 1. The length is logarithmic, from 100 ns
 * to 10 s. The longer the duration, the longer the bar.
 */
export function magnitude(seconds) {
  if (seconds === null || seconds <= 0) return 0;
  return Math.min(1, Math.max(0.02, (Math.log10(seconds) + 7) / 8));
}
