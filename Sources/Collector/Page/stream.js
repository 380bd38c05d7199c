// Listens to the collector's stream of snapshots and changes. It knows at every moment whether the figures are current.

const SILENCE_SECONDS = 4;      // After this time without a snapshot or a change, the figures are old.
const DEAD_SECONDS = 15;        // After this time without any event, the page connects again.
const encoder = new TextEncoder();

/**
 * The states are "connecting" and "stale" (each with a reason), "live", "paused" and "hidden". The handlers are
 * `onDocument(document, epoch)`, `onChange(change, epoch)` and `onState(state, reason)`.
 */
export class Stream {
  constructor(handlers, path = "/events") {
    this.handlers = handlers;
    this.path = path;
    this.state = "connecting";
    this.reason = "";
    this.isPaused = false;
    this.epoch = null;
    this.events = 0;
    this.bytes = 0;
    this.figuresAt = 0;
    this.eventAt = 0;
    this.attempt = 0;
  }

  start() {
    document.addEventListener("visibilitychange", () => this.follow());
    window.addEventListener("pagehide", () => this.close());
    setInterval(() => this.watch(), 500);
    this.follow();
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    this.follow();
  }

  /** Opens or closes the connection. A page that is paused or hidden has none, so it costs the collector nothing. */
  follow() {
    if (this.isPaused) {
      this.close();
      this.become("paused");
    } else if (document.hidden) {
      this.close();
      this.become("hidden");
    } else if (!this.source) {
      this.become(this.figuresAt ? "stale" : "connecting", "Listening again.");
      this.open();
    }
  }

  open() {
    clearTimeout(this.timer);
    this.eventAt = performance.now();
    const source = new EventSource(this.path);
    this.source = source;
    source.addEventListener("snapshot", (event) => this.take(event, this.handlers.onDocument));
    source.addEventListener("change", (event) => {
      // A change from another process of the collector cannot be applied to the snapshot.
      if (epochOf(event) !== this.epoch) return this.reopen(0);
      this.take(event, this.handlers.onChange);
    });
    source.addEventListener("heartbeat", () => {
      this.eventAt = performance.now();
    });
    source.addEventListener("error", () => {
      if (this.source !== source) return;
      this.lose("The collector does not answer; trying again.");
      if (source.readyState === EventSource.CLOSED) this.askWhy();
    });
  }

  take(event, handler) {
    this.eventAt = this.figuresAt = performance.now();
    this.attempt = 0;
    this.events += 1;
    this.bytes += encoder.encode(event.data).length;
    this.epoch = epochOf(event);
    handler(JSON.parse(event.data), this.epoch);
    this.become("live");
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  /**
   * Connects again after 1 to 5 s, and shows why the collector's answer was no stream. The browser does not connect
   * again after such an answer.
   */
  async askWhy() {
    this.reopen(Math.min(5000, 1000 * 2 ** this.attempt++));
    try {
      const answer = await fetch("/-/ready", { cache: "no-store" });
      const words = (await answer.text()).slice(0, 300);
      if (answer.status === 401) this.lose("The collector asks who you are: load the page again to sign in.");
      else if (!answer.ok) this.lose(words);
      else this.lose("The collector answers, but has no room for another listener; trying again.");
    } catch {
      // The page keeps the reason that it shows already.
    }
  }

  reopen(milliseconds) {
    this.close();
    this.timer = setTimeout(() => {
      if (!this.isPaused && !document.hidden && !this.source) this.open();
    }, milliseconds);
  }

  watch() {
    if (this.isPaused || document.hidden) return;
    const now = performance.now();
    if (this.source && now - this.eventAt > DEAD_SECONDS * 1000) {
      this.lose("The collector does not answer; trying again.");
      this.reopen(0);
    } else if (this.state === "live" && now - this.figuresAt > SILENCE_SECONDS * 1000) {
      this.lose("The collector sends no new figures.");
    }
  }

  lose(reason) {
    if (this.isPaused || document.hidden) return;
    this.become(this.figuresAt ? "stale" : "connecting", reason);
  }

  become(state, reason = "") {
    if (state === this.state && reason === this.reason) return;
    this.state = state;
    this.reason = reason;
    this.handlers.onState(state, reason);
  }
}

const epochOf = (event) => event.lastEventId.slice(0, event.lastEventId.lastIndexOf("-"));
