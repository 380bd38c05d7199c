"""A collector that is made up: the page's own files from a real one, and a stream of generated documents.

Shows the page a fleet of any size, and texts that no ring would let through."""

import http.server
import json
import math
import random
import threading
import time
import urllib.error
import urllib.request

SPANS = ["1s", "5s", "1m"]
PERCENTILES = ["p50", "p95", "p99", "p999"]

HOSTILE = [
    "<script>window.wasHarmed=1</script>",
    "<img src=x onerror=window.wasHarmed=1>",
    "\"'`><svg onload=window.wasHarmed=1>",
    "javascript:window.wasHarmed=1",
    "\u202egnp.exe\u202c and \u2066more\u2069",
    "\N{ROCKET}" * 128,
    "x" * 10_000,
    "a/b?c=d&e#f%2e%zz",
    "\u05e9\u05dc\u05d5\u05dd",
    "=1+1",
]


class Generated:
    """Documents in the form of /latest."""

    def __init__(self, bots=50, series=40, hostile=False, seed=1, spans=SPANS, percentiles=PERCENTILES, states=None):
        self.spans, self.percentiles, self.states = spans, percentiles, states or {}
        self.random = random.Random(seed)
        self.began = time.time()
        names = [f"bot{number:02}" for number in range(bots)]
        if hostile:
            names = list(HOSTILE)
        self.bots = [self.bot(name, series, hostile) for name in names]
        self.number = 0
        self.alerts = [self.alert(name) for name in names] if hostile else []

    def bot(self, name, count, hostile):
        metrics = []
        for number in range(count):
            stage, venue = divmod(number, 8)
            labels = {"symbol": f"S{venue}", "venue": f"venue{venue % 3}"}
            metric = f"orders_stage{stage}_latency_seconds"
            if hostile:
                metric, labels = HOSTILE[number % len(HOSTILE)], {HOSTILE[number % len(HOSTILE)]: HOSTILE[-1 - number % len(HOSTILE)]}
            metrics.append({
                "name": metric, "kind": "histogram", "unit": "seconds", "labels": labels, "scale": 10 ** self.random.uniform(-7, -2),
            })
        return {"name": name, "metrics": metrics, "drained": 0}

    def alert(self, name):
        return {
            "id": name, "alert": name, "severity": "P1", "bot": name, "state": "firing", "condition": name, "value": 1.5, "labels": {}, "since": self.began,
            "unit": "", "unknown_since": None, "resolving_since": None, "silenced": False, "silenced_until": None, "runbook": "javascript:window.wasHarmed=1",
        }

    def histogram(self, metric):
        scale = metric["scale"] * self.random.lognormvariate(0, 0.2)
        values = {"min": scale / 9, "max": scale * 40}
        values.update((key, scale * (1 + place) ** 2) for place, key in enumerate(self.percentiles))
        window = {"count": 500, "rate": 100 * self.random.random(), "lost": 0, "complete": True, **values}
        return {
            "name": metric["name"], "kind": "histogram", "unit": "seconds", "labels": metric["labels"], "calls": self.number, "count": self.number,
            "sum": 1.0, **values, "windows": {span: dict(window) for span in self.spans},
        }

    def document(self):
        self.number += 1
        now = time.time()
        bots = []
        for bot in self.bots:
            bot["drained"] += 5000
            ring = {
                "lane": "", "up": True, "state": "up", "last_record_age": 0.001, "last_activity_age": 0.0, "pid": 1, "position": bot["drained"], "drained": bot["drained"],
                "backlog": 3, "backlog_max": 90, "lag": 0.001, "lag_worst": 0.01, "emit_overhead_records_ratio": 0.001, "emit_overhead_counters_ratio": 0.001,
                "longest_read_gap": 0.1, "refused_metrics": 0, "conflicting_metrics": [], "lost": {"lapped": 0, "corrupt": 0},
            }
            state = self.states.get(bot["name"], "up")
            ring["up"] = state == "up"
            bots.append({
                "bot": bot["name"], "up": state == "up", "state": state, "process": {"count": 1, "cpu_seconds": self.number * 0.1, "resident_memory": 33_000_000},
                "labels": {"env": bot["name"]}, "rings": [ring], "metrics": [self.histogram(metric) for metric in bot["metrics"]], "levels": [],
            })
        return {
            "time": now,
            "collector": {
                "version": "generated", "uptime": now - self.began, "record_cost": 1e-7,
                "drain_cycle": {"count": self.number, "p50": 0.001, "p95": 0.002, "p99": 0.003, "p999": 0.004, "worst": 0.01, "worst_recent": 0.005},
                "clock": None,
            },
            "bots": bots, "slo": [], "alerts": self.alerts, "silences": [], "waiting": [],
        }


class Server:
    """Serves a generated fleet under the page of the collector at `origin`."""

    def __init__(self, generated, origin):
        self.generated, self.origin = generated, origin
        self.changed = threading.Condition()
        self.number = 0
        self.publish()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                try:
                    outer.answer(self)
                except OSError:
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.isEnded = False
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        threading.Thread(target=self.tick, daemon=True).start()

    def close(self):
        self.isEnded = True
        self.server.shutdown()
        self.server.server_close()

    def publish(self):
        document = self.generated.document()
        change = {key: document[key] for key in ("time", "collector")}
        change["bots"] = [
            {"bot": bot["bot"], "rings": bot["rings"], "process": bot["process"], "metrics": {str(i): metric for i, metric in enumerate(bot["metrics"])}}
            for bot in document["bots"]
        ]
        texts = [json.dumps(each, separators=(",", ":")) for each in (document, change)]
        with self.changed:
            self.number += 1
            self.document, self.change = texts
            self.changed.notify_all()

    def tick(self):
        due = time.monotonic()
        while not self.isEnded:
            due += 1
            time.sleep(max(0, due - time.monotonic()))
            self.publish()

    def answer(self, handler):
        path = handler.path.split("?")[0]
        if path == "/events":
            return self.stream(handler)
        status, headers, body = 404, {"Content-Type": "text/plain"}, b"There is no such thing here."
        if path == "/" and "json" in handler.headers.get("Accept", ""):
            status, headers, body = 200, {"Content-Type": "application/json"}, b'{"name":"ringside","endpoints":["/latest"]}'
        elif path == "/latest":
            status, headers, body = 200, {"Content-Type": "application/json"}, self.document.encode()
        elif path == "/" or path.startswith("/page/"):
            request = urllib.request.Request(self.origin + handler.path, headers={"Accept": "text/html" if path == "/" else "*/*"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                status, body = answer.status, answer.read()
                headers = {key: value for key, value in answer.headers.items() if key.lower() in ("content-type", "content-security-policy")}
        handler.send_response(status)
        for key, value in headers.items():
            handler.send_header(key, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def stream(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        with self.changed:
            number, data = self.number, self.document
        handler.wfile.write(f"retry: 1000\n\nevent: snapshot\nid: made-{number}\ndata: {data}\n\n".encode())
        while not self.isEnded:
            with self.changed:
                if not self.changed.wait_for(lambda: self.number != number, 2):
                    continue
                number, data = self.number, self.change
            handler.wfile.write(f"event: change\nid: made-{number}\ndata: {data}\n\n".encode())
            handler.wfile.flush()


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
