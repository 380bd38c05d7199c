// The address identifies the view, so that a view can be sent to a colleague by its URL.

/** Returns the parts of the path behind # in the address, and the wishes behind the question mark. */
export function readRoute() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parts = path.split("/").filter((part) => part !== "").map(decoded);
  return { parts, query: new URLSearchParams(query) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the address of a view. Empty wishes are left out. */
export function address(parts, wishes = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wishes)) if (value) query.append(name, value);
  const text = query.toString();
  return `#/${parts.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/** Returns the wishes that follow the reader from view to view. */
export const carried = (query) => ({ w: query.get("w") });

export class Router {
  constructor(show) {
    this.show = show;
    this.route = readRoute();
    window.addEventListener("hashchange", () => {
      this.route = readRoute();
      show(this.route);
    });
  }

  get query() {
    return this.route.query;
  }

  go(parts, wishes = {}) {
    location.hash = address(parts, { ...carried(this.query), ...wishes });
  }

  /** Changes wishes of this view, without a new entry in the browser's history. */
  wish(changes) {
    const query = Object.fromEntries(this.query);
    for (const [name, value] of Object.entries(changes)) query[name] = value;
    history.replaceState(null, "", address(this.route.parts, query));
    this.route = readRoute();
  }
}

/** Returns the address of a series. It has the bot, the metric and the labels, and for a gauge the lane. */
export function seriesAddress(series, query) {
  const wishes = { ...carried(query) };
  for (const [name, value] of series.labels) wishes[`label.${name}`] = value;
  if (series.metric.kind === "gauge" && series.metric.lane) wishes.lane = series.metric.lane;
  return address(["bot", series.bot.name, series.metric.name], wishes);
}

/** Returns the address of a metric of a bot. Where several series have its name, the page asks which one is meant. */
export const metricAddress = (bot, metric, query) => address(["bot", bot, metric], carried(query));

export const botAddress = (name, query) => address(["bot", name], carried(query));
