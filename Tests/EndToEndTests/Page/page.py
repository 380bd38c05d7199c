"""The live page in headless Chromium, against a real collector and real bots.

Usage: page.py BIN [--front PROGRAM] [--picture FILE] [--only NAME]
  BIN      the folder with ringsided and ringside-demo
  --front  for work on the page: a program that serves it in front of a collector; called with a port and the collector's URL
  --picture  also writes the picture of the page that the README shows (WebP)
  --only   runs one check

Prints a line for each check, and the figures measured. Exits 1 if a check failed.
"""

import argparse
import base64
import copy
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from checks import PATIENCE, browser, free_port, run_checks, until
from generated import HOSTILE, Generated, Server, quantile

CONFIGURATION = """{
  objectives: [{ name: "round_trip", instrument: "exchange_round_trip_seconds", threshold: "1ms", target: 0.9 }],
  alerts: [{ name: "venue_slow", severity: "P1", instrument: "exchange_round_trip_seconds", statistic: "p99", window: "1m",
             threshold: "5ms" }],
}"""


# ---------------------------------------------------------------- what is looked at


class Collector:
    """ringsided and bots, in folders of their own."""

    def __init__(self, binaries, front):
        self.binaries, self.front = pathlib.Path(binaries), front
        self.work = tempfile.mkdtemp(prefix="ringside-page.")
        self.rings = tempfile.mkdtemp(prefix="ringside-page.", dir="/dev/shm")
        self.port, self.page_port = free_port(), free_port()
        self.programs = {}
        pathlib.Path(self.work, "ringside.json5").write_text(CONFIGURATION)
        self.url = f"http://127.0.0.1:{self.page_port if front else self.port}"

    def run(self, name, *command):
        log = open(pathlib.Path(self.work, f"{name}.log"), "ab")
        self.programs[name] = subprocess.Popen(command, stdout=log, stderr=log)

    def start(self):
        self.run(
            "collector", self.binaries / "ringsided", "--ring-dir", self.rings, "--state-dir", f"{self.work}/state", "--config", f"{self.work}/ringside.json5",
            "--web.listen-address", f"127.0.0.1:{self.port}")

    def start_all(self):
        self.start()
        self.run("bots", self.binaries / "ringside-demo", "--bots", "3", "--rate", "500", "--ring-dir", self.rings, "--fault", "slow-venue@1+300")
        if self.front:
            self.run("front", sys.executable, self.front, str(self.page_port), f"http://127.0.0.1:{self.port}")
        until(lambda: self.latest()["bots"], "a collector with bots")

    def latest(self):
        with urllib.request.urlopen(f"{self.url}/latest", timeout=5) as answer:
            return json.load(answer)

    def kill(self):
        self.programs["collector"].send_signal(signal.SIGKILL)
        self.programs.pop("collector").wait()

    def end(self):
        for program in self.programs.values():
            program.terminate()
        for program in self.programs.values():
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.rings, ignore_errors=True)


class Listener(threading.Thread):
    """Reads the stream beside the page, and keeps each document by its time: what the page must show."""

    def __init__(self, url):
        super().__init__(daemon=True)
        self.url, self.documents, self.current, self.isEnded = url, {}, None, False

    def run(self):
        with urllib.request.urlopen(f"{self.url}/events", timeout=30) as stream:
            event = {}
            for line in stream:
                if self.isEnded:
                    return
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                elif event.get("data"):
                    self.take(event)
                    event = {}
                else:
                    event = {}

    def take(self, event):
        data = json.loads(event["data"])
        if event["event"] == "snapshot":
            self.current = data
        elif event["event"] == "change":
            changed = copy.deepcopy(self.current)
            for key, value in data.items():
                if key != "bots":
                    changed[key] = value
            for change in data.get("bots", []):
                bot = next(each for each in changed["bots"] if each["bot"] == change["bot"])
                for key, value in change.items():
                    if key == "metrics" and isinstance(value, dict):
                        for index, metric in value.items():
                            bot["metrics"][int(index)] = metric
                    else:
                        bot[key] = value
            self.current = changed
        else:
            return
        self.documents[self.current["time"]] = self.current


class Page:
    def __init__(self, driver, url):
        self.driver, self.url = driver, url
        self.look(1440, 900, "light")

    def look(self, width, height, theme):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})

    def open(self, route="#/", url=None):
        self.driver.get("about:blank")
        self.driver.get(f"{url or self.url}/{route}")
        self.live()

    def go(self, route):
        self.js("location.hash = arguments[0]", route)

    def live(self, seconds=PATIENCE):
        until(lambda: self.state == "live" and self.all("main .view"), "a live page", seconds)

    @property
    def state(self):
        return self.js("return document.body.dataset.stream")

    @property
    def time(self):
        return float(self.js("return document.body.dataset.time") or 0)

    @property
    def address(self):
        return self.js("return location.hash")

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def module(self, script):
        """Runs a script with `units`, `csv`, `model` and others imported; it returns a value that JSON can say."""
        result = self.driver.execute_async_script(
            "const done = arguments[0];"
            "Promise.all(['units', 'csv', 'model', 'filter', 'chart', 'dom', 'words', 'history', 'stream'].map((name) => import(`/page/${name}.js`)))"
            f".then(async ([units, csv, model, filter, chart, dom, words, history, stream]) => {{ {script} }}).then(done, (error) => done({{ failure: String(error.stack) }}));")
        assert not (isinstance(result, dict) and "failure" in result), result
        return result

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return until(lambda: self.all(selector), f"an element {selector}")[0]

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def rows(self, table=".table"):
        """The cells of the rows in sight, by the title of their column."""
        return self.js("""
            const table = document.querySelector(arguments[0]);
            const titles = [...table.querySelectorAll('[role=columnheader]')].map((each) => each.textContent);
            return [...table.querySelectorAll('.rows > .row')].filter((row) => !row.hidden && !row.classList.contains('grouping'))
              .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
              .map((row) => Object.fromEntries([...row.querySelectorAll(':scope > .cell:not(.group)')].map((cell, index) => [titles[index],
                cell.classList.contains('first') ? cell.querySelector('.name').title : cell.textContent]).concat([['labels', cell_labels(row)]])));
            function cell_labels(row) { return row.querySelector('.first .labels')?.title ?? ''; }
            """, table)

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def work(self):
        """Seconds of processor time that the page's main thread has worked."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    def requests(self):
        return self.js("return performance.getEntriesByType('resource').map((each) => each.name)")


# ---------------------------------------------------------------- figures, as they must be shown


def shown(value, unit):
    """A figure in three significant digits, written apart from the page's own code."""
    if value is None:
        return "\u2013"
    steps = {"seconds": [(1e-9, "ns"), (1e-6, "\u00b5s"), (1e-3, "ms"), (1, "s")], "rate": [(1, "/s")], "bps": [(1, "bps")], "": [(1, "")]}[unit]
    size, name = steps[0]
    for step, each in steps:
        if abs(value) >= step * 0.9995:
            size, name = step, each
    scaled = value / size
    magnitude = abs(scaled)
    if magnitude == 0:
        digits = "0"
    elif magnitude >= 999.5:
        digits = f"{round(scaled):,}"
    elif magnitude >= 99.95:
        digits = f"{scaled:.0f}"
    elif magnitude >= 9.995:
        digits = f"{scaled:.1f}"
    elif magnitude >= 0.9995:
        digits = f"{scaled:.2f}"
    else:
        digits = None
    return None if digits is None else digits + name


def check_figures(page, collector):
    """Every figure of every histogram of a bot equals that of the snapshot whose time the page shows."""
    listener = Listener(collector.url)
    listener.start()
    page.open("#/bot/demo1?w=1m")
    page.look(1440, 2400, "light")
    until(lambda: len(listener.documents) > 2 and page.time in listener.documents, "a snapshot that both have heard")
    page.js("document.getElementById('pause').click()")
    until(lambda: page.state == "paused", "a pause")
    document = until(lambda: listener.documents.get(page.time), "the paused snapshot")
    listener.isEnded = True
    metrics = {
        (metric["name"], " ".join(f"{name}={value}" for name, value in metric["labels"].items())): metric
        for metric in next(bot for bot in document["bots"] if bot["bot"] == "demo1")["metrics"] if metric["kind"] == "histogram"
    }
    rows = page.rows()
    assert len(rows) >= 20, f"only {len(rows)} rows are in sight"
    compared = 0
    for row in rows:
        metric = metrics[(row["Instrument"], row["labels"])]
        window = metric["windows"]["1m"]
        unit = metric["unit"]
        for title, key in (("p50", "p50"), ("p95", "p95"), ("p99", "p99"), ("p99.9", "p999"), ("Max", "max"), ("Rate", "rate")):
            expected = shown(window[key], "rate" if key == "rate" else unit)
            if expected is None:
                continue
            assert row[title] == expected, f"{row['Instrument']} {title}: shown {row[title]}, in the snapshot {window[key]}, which is {expected}"
            compared += 1
        assert row["Data"] == ("complete" if window["complete"] else f"{window['lost']:,} lost" if window["lost"] else "incomplete" if window["complete"] is False else "no figures yet"), row
    assert compared > 100, compared
    page.press("p")
    page.live()
    page.look(1440, 900, "light")
    return f"{compared} figures compared"


def check_live(page, collector):
    """Figures move, at least once a second, and the page says of when they are."""
    page.open()
    times = set()
    texts = set()
    end = time.monotonic() + 4
    while time.monotonic() < end:
        times.add(page.time)
        texts.add(page.text(".fleet-table .rows"))
        time.sleep(0.1)
    assert len(times) >= 3 and len(texts) >= 3, (times, len(texts))
    assert "Live" in page.text(".live")


def check_two_clicks(page, collector):
    """The slowest stage is one click away from the start page, and whether it can be believed none."""
    page.open()
    assert "complete" in page.text(".cards") or "incomplete" in page.text(".cards"), page.text(".cards")
    link = until(lambda: page.all(".slowest a"), "a slowest stage")[0]
    name = link.text
    link.click()
    until(lambda: page.text("h1") == name, "the page of the slowest stage")


def check_filter(page, collector):
    page.open("#/bot/demo1")
    everything = len(page.rows())
    page.press("/")
    assert page.js("return document.activeElement.id") == "search"
    page.press("venue=simulated")
    until(lambda: "q=venue" in page.address and 0 < len(page.rows()) < everything, "a filtered table")
    assert all("venue=simulated" in row["labels"] for row in page.rows())
    found = [row["Instrument"] for row in page.rows()]
    address = page.address
    page.press(Keys.ESCAPE)
    until(lambda: "q=" not in page.address and len(page.rows()) == everything, "the whole table again")
    page.open(address)
    assert [row["Instrument"] for row in page.rows()] == found, "the deep link shows another table"
    assert page.js("return document.getElementById('search').value") == "venue=simulated"
    page.open("#/bot/demo1?kind=gauge&w=1m&sort=value-down")
    titles = [row["Instrument"] for row in page.rows()]
    assert "component_memory_bytes" in titles and page.text("#windows [aria-pressed=true]") == "1m", titles


def check_pause(page, collector):
    page.open("#/bot/demo2")
    page.press("p")
    until(lambda: page.state == "paused", "a pause")
    assert "Paused." in page.text("#banner") and "All figures are of" in page.text("#banner"), page.text("#banner")
    before = page.text("main")
    time.sleep(2.5)
    assert page.text("main") == before, "figures moved while the page was paused"
    page.press("p")
    page.live()
    until(lambda: page.text("main") != before, "figures after the pause")


def check_hidden(page, collector):
    """A page that nobody looks at listens to nothing."""
    page.open()
    hide = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => %s }); document.dispatchEvent(new Event('visibilitychange'));"
    page.js(hide % "true")
    until(lambda: page.state == "hidden", "a hidden page")
    before = page.time
    time.sleep(1.5)
    assert page.time == before, "the hidden page still listened"
    page.js(hide % "false")
    page.live()
    until(lambda: page.time > before, "new figures")


def check_instrument(page, collector):
    """Ranges by dragging and by keys, comparison, and a table behind the picture."""
    page.open("#/instruments?q=name:exchange_round+bot:demo1")
    page.one(".series-table .rows .row a").click()
    until(lambda: "label.venue=simulated" in page.address, "the instrument's address")
    chart = page.one("svg.time")
    until(lambda: page.all("svg.time path.line, svg.time circle.lone"), "lines in the picture")
    ActionChains(page.driver).move_to_element_with_offset(chart, 100, 0).click_and_hold().move_by_offset(150, 5).release().perform()
    until(lambda: "from=" in page.address and "to=" in page.address, "a range in the address")
    bounds = [int(re.search(rf"{name}=(\d+)", page.address)[1]) for name in ("from", "to")]
    assert 0 < bounds[1] - bounds[0] < 600, bounds
    address = page.address
    page.open(address)
    assert "picked" in page.text(".range-words"), page.text(".range-words")
    page.one("[data-range='1h']").click()
    until(lambda: "from=" not in page.address and "range=1h" in page.address, "the last hour")
    page.js("document.querySelector('svg.time').focus()")
    page.press(Keys.ARROW_LEFT)
    until(lambda: re.search(r"\d\d:\d\d:\d\d", page.text(".reading")), "a reading by keys")
    page.js("const s = document.getElementById('against'); s.value = 'bot:demo2'; s.dispatchEvent(new Event('change'))")
    until(lambda: page.text(".comparison").count("s") > 8 and "demo2" in page.text(".comparison"), "a comparison")
    until(lambda: len(page.all(".legend .key")) == 2, "two distributions")
    assert "vs=bot%3Ademo2" in page.address, page.address
    chart = page.one("svg.time")
    ActionChains(page.driver).move_to_element_with_offset(chart, 300, 0).key_down(Keys.SHIFT).click_and_hold().move_by_offset(80, 3).release().key_up(Keys.SHIFT).perform()
    until(lambda: re.search(r"vs=\d+%7E\d+", page.address) and page.all("rect.marked"), "a second range to compare with")
    until(lambda: page.all("circle.dot"), "exemplars")
    assert re.search(r"[0-9a-f]{16}", page.text(".exemplars")), "no trace id is shown"
    assert "round_trip: 1.00" in page.js("return document.querySelector('svg.time').textContent"), "no threshold of the objective"
    for details in page.all(".instrument .behind"):
        page.js("arguments[0].open = true", details)
    until(lambda: all(len(details.find_elements(By.CSS_SELECTOR, "tbody tr")) > 0 for details in page.all(".instrument .behind")), "tables behind the pictures")
    page.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": collector.url})
    page.one("table.now button.copyable:not(:disabled)").click()
    until(lambda: page.text("#notice").startswith("Copied"), "a copy")


def check_short_addresses(page, collector):
    """An address without labels means the only series of its name; where there are several, the page asks which."""
    page.open("#/bot/demo1/exchange_round_trip_seconds")
    until(lambda: page.all("table.now button.copyable:not(:disabled)"), "figures of the only series")
    assert "venue" in page.text(".heading .chips"), page.text(".heading .chips")
    page.open("#/bot/demo1/event_bus_handle_seconds")
    until(lambda: len(page.all(".choices a")) == 3, "a choice of three topics")
    page.one(".choices a").click()
    until(lambda: "label.topic=" in page.address and page.all("table.now button.copyable:not(:disabled)"), "the topic's figures")


def check_narrow(page, collector):
    """On a phone every tab is in sight, and nothing is wider than the screen."""
    page.look(390, 844, "light")
    try:
        page.open()
        for route in ("#/", "#/bot/demo1", "#/objectives", "#/alerts", "#/collector"):
            page.go(route)
            page.live()
            wide = page.js("return [document.documentElement.scrollWidth - innerWidth, tabs.scrollWidth - tabs.clientWidth]")
            assert max(wide) <= 0, (route, wide)
    finally:
        page.look(1440, 900, "light")


def check_keys(page, collector):
    page.open()
    page.press(Keys.ARROW_DOWN)
    page.press(Keys.ARROW_DOWN)
    until(lambda: page.js("return document.querySelector('.fleet-table .row.active')?.innerText ?? ''").find("demo2") >= 0, "the second row")
    page.press(Keys.ENTER)
    until(lambda: page.address.startswith("#/bot/demo2"), "the bot's page")
    page.press("?")
    until(lambda: page.js("return document.getElementById('help').open"), "the help")
    page.press(Keys.ESCAPE)
    until(lambda: not page.js("return document.getElementById('help').open"), "no help")
    page.press("1")
    until(lambda: page.text("#windows [aria-pressed=true]") == "1s", "the window of a second")
    page.press("o")
    until(lambda: page.text("h1") == "Objectives" and "availability" in page.text("main"), "the objectives")
    assert "w=1s" in page.address, "the window does not follow the reader"
    page.press("a")
    until(lambda: page.text("h1") == "Alerts", "the alerts")
    page.press("k")
    until(lambda: page.text("h1") == "Collector" and "Drain cycle" in page.text("main"), "the collector")
    page.press("f")
    until(lambda: page.all(".fleet-table"), "the fleet")


def check_modules(page, collector):
    """Parts of the page by themselves, in the browser that runs them."""
    page.open()
    figures = page.module("""
        return [[1.234e-6, 'seconds'], [999.6e-9, 'seconds'], [0.02, 'seconds'], [0, 'seconds'], [1234.5, 'seconds'], [33.4e6, 'bytes'], [0.5, 'ratio'],
          [-1234.5, 'usd'], [2.25, 'bps'], [1500, 'us'], [null, ''], [123456, ''], [42, ''],
          [-1234567.5, 'usd'], [999999.996, 'usd']].map(([value, unit]) => units.text(value, unit));""")
    expected = [
        "1.23 \u00b5s", "1.00 \u00b5s", "20.0 ms", "0 ns", "1,235 s", "33.4 MB", "50.0 %", "-1,234.50 USD", "2.25 bps", "1.50 ms", "\u2013", "123 k", "42",
        "-1,234,567 USD", "1,000,000 USD",
    ]
    assert [each.replace("\u00a0", " ") for each in figures] == expected, figures
    text = page.module("""
        const columns = [{ title: 'a,b', csv: (row) => row[0] }, { title: 'n', csv: (row) => row[1] }, { title: 'hidden' }];
        return csv.csv(columns, [['=1+1', 0.1], ['say "x"', null], { group: 'no row', count: 1 }, ['two\\nlines', -5]]);""")
    assert text == '"a,b",n\r\n\'=1+1,0.1\r\n"say ""x""",\r\n"two\nlines",-5\r\n', repr(text)
    assert page.module("return dom.visible('a\\u202eb')") == "a\\u202eb"
    assert page.module("return [units.percentileName('p999'), units.percentileName('p99'), units.quantileOf('p999'), units.age(3700)]") == ["p99.9", "p99", 0.999, "61 min"]
    assert page.module("return ['p0', 'p001', 'p05', 'p100'].map(units.percentileName)") == ["p0", "p0.1", "p5", "p100"]
    axes = page.module("""
        return [[[1e-10, 2e-10], ''], [[64250.25, 64250.5], ''], [[0.100123, 0.100124], 'seconds'], [[0.001, 0.01], 'seconds'], [[0.0015, 0.002], 'seconds']]
          .map(([values, unit]) => units.ticks(values, unit).map((each) => each.replace('\\u00a0', ' ')));""")
    assert axes == [["1e-10", "2e-10"], ["64.25025 k", "64.2505 k"], ["100.123 ms", "100.124 ms"], ["1 ms", "10 ms"], ["1.5 ms", "2 ms"]], axes
    objective = page.module("""
        const window = (compliance) => ({ compliance, good: 1, bad: 1, watched: 1 });
        return words.objectiveInWords({ deciding_window: '1h', target: 0.9, error_budget_remaining: null, windows: { '1m': window(1), '1h': window(0.5) } });""")
    assert objective.replace("\u00a0", " ") == "50 % good in 1h, target 90 %", objective
    assert page.module("""
        const heard = new stream.Stream({ onDocument() {}, onState() {} });
        heard.take({ data: '"\\u00e9\\u20ac"', lastEventId: 'a-1' }, () => {});
        return heard.bytes;""") == 7


def check_single_point(page, collector):
    """A distribution of a single value is a dot, not an empty picture."""
    page.open()
    shapes = page.module("""
        const picture = new chart.PercentileChart({ label: 'one' });
        picture.width = 400;
        const curve = (name, points) => ({ name, className: name, points, count: 1 });
        picture.set({ unit: 'seconds', curves: [curve('p2', [[0, 0.001], [0.5, 0.001]]), curve('other', [[0, 0.002]])] });
        return [...picture.node.querySelectorAll('circle')].map((each) => [each.getAttribute('class'), Number(each.getAttribute('cx'))]);""")
    assert shapes == [["lone p2", 72], ["lone other", 72]], shapes


def check_past(page, collector):
    """A request for the minutes before the page listened is repeated after a failure, and after the view was left."""
    page.open("#/collector")
    counts = page.module("""
        const real = window.fetch;
        const asked = [];
        const answers = [() => new Response('busy', { status: 503 }), () => new Promise(() => {}), () => new Response('{"series": []}')];
        window.fetch = (path, options) => path.startsWith('/stats/history') ? (asked.push(path), answers[asked.length - 1]()) : real(path, options);
        const clock = performance.now.bind(performance);
        let ahead = 0;
        performance.now = () => clock() + ahead;
        const rest = () => new Promise((done) => setTimeout(done, 300));
        const series = { bot: { name: 'demo1', data: { labels: {} } }, metric: { name: 'x', labels: {} } };
        series.bot.series = [series];
        const counts = [];
        try {
          const past = new history.Past(() => {});
          for (const seconds of [0, 0, 20]) {
            ahead += seconds * 1000;
            past.want(series, 'p99');
            await rest();
            counts.push(asked.length);
          }
          past.stop();
          const next = new history.Past(() => {});
          for (let turn = 0; turn < 2; turn += 1) {
            next.want(series, 'p99');
            await rest();
            counts.push(asked.length);
          }
        } finally {
          [window.fetch, performance.now] = [real, clock];
        }
        return counts;""")
    assert counts == [1, 1, 2, 3, 3], counts


def check_picked_now(page, collector):
    """A picked range up to now is loaded again until its last minute is whole; one of the past is not."""
    for seconds, isRepeated in ((0, True), (7200, False)):
        now = int(time.time()) - seconds
        page.open(f"#/bot/demo1/exchange_round_trip_seconds?label.venue=simulated&from={now - 300}&to={now}")
        until(lambda: "picked" in page.text(".range-words"), "the picked range")
        time.sleep(1)
        count = "return performance.getEntriesByType('resource').filter((each) => each.name.includes('/stats/history?metric')).length"
        before = page.js(count)
        assert before > 0
        page.js("const clock = performance.now.bind(performance); performance.now = () => clock() + 20000")
        time.sleep(2.5)
        assert (page.js(count) > before) == isRepeated, f"{seconds} s ago: {before} requests, then {page.js(count)}"


def check_export(page, collector):
    """Every column of the fleet's export with figures names its unit."""
    page.open()
    page.js("URL.createObjectURL = (blob) => { window.exported = blob.text(); return '#'; }; HTMLAnchorElement.prototype.click = () => {}")
    page.js("[...document.querySelectorAll('button')].find((each) => each.textContent === 'Export CSV').click()")
    head = page.driver.execute_async_script("window.exported.then((text) => arguments[0](text.split('\\r\\n')[0]))").split(",")
    assert head == [
        "State", "Bot", "Records (per second)", "Data (window of 5s)", "Lost (records)", "Backlog (records)", "Lag (seconds)", "CPU (cores)", "Memory (bytes)",
        "Alerts (names that fire)", "Objectives (names violated or burning)",
    ], head


def check_other_shapes(page, collector):
    """A collector with four windows and six percentiles; what is wrong comes first, and leads to its instrument."""
    percentiles = ["p50", "p90", "p95", "p99", "p999", "p9999"]
    made = Generated(bots=4, series=6, spans=["1s", "5s", "1m", "10m"], percentiles=percentiles, states={"bot02": "unknown", "bot03": "strange"})
    made.alerts = [{**made.alert("bot01"), "condition": "quantile 0.99 of orders_stage0_latency_seconds over 1m > 0.005", "unit": "seconds"}]
    server = Server(made, collector.url)
    try:
        page.open(url=server.url)
        names = [row["Bot"] for row in page.rows()]
        assert names == ["bot02", "bot03", "bot01", "bot00"], names
        until(lambda: "%" in page.rows()[3]["CPU"] and page.rows()[3]["Lag"] == "1.00ms", "figures of a bot that is up", 10)
        assert [page.rows()[0][title] for title in ("Lag", "CPU", "Records")] == ["\u2013"] * 3, page.rows()[0]
        page.one(".troubles .why a").click()
        until(lambda: "#/bot/bot01/orders_stage0_latency_seconds" in page.address and len(page.all(".choices a")) == 6, "the instrument of the alert")
        page.open("#/alerts", url=server.url)
        row = page.text(".alerts-view tbody tr")
        assert "1.50\u00a0s" in row and "#/bot/bot01/orders_stage0" in page.js("return document.querySelector('.alerts-view tbody tr td:nth-child(7) a').hash"), row
        page.open(url=server.url)
        assert "2 of 4 not well" in page.text(".cards"), page.text(".cards")
        page.press("4")
        until(lambda: page.text("#windows [aria-pressed=true]") == "10m", "the fourth window by its key")
        page.open("#/bot/bot00/orders_stage0_latency_seconds?label.symbol=S0&label.venue=venue0", url=server.url)
        until(lambda: len(page.all("svg.time path.line")) == 6, "six lines")
        strokes = page.js("return [...document.querySelectorAll('svg.time path.line')].map((each) => getComputedStyle(each).stroke)")
        assert "none" not in strokes and len(set(strokes)) >= 4, strokes
        words = page.text(".range-words")
        assert "p90, p99.99" in words and "the history keeps p50, p95, p99, p99.9" in words, words
        page.one("[data-range='1h']").click()
        until(lambda: "There is no p90, p99.99 here" in page.text(".range-words"), "words about percentiles that are not kept")
    finally:
        page.driver.get("about:blank")
        server.close()


CONTRAST = """
const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const colour = (text) => { const parts = text.match(/[\\d.]+/g).map(Number); return parts.length > 3 ? parts : [...parts, 1]; };
const ground = (node) => { for (let each = node; each; each = each.parentElement) { const c = colour(getComputedStyle(each).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
const poor = [];
let looked = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  const box = node.getBoundingClientRect();
  if (!walker.currentNode.data.trim() || box.width < 2 || box.height < 2 || node.closest('.offscreen, .skip, dialog:not([open]), title, noscript, option') || node.disabled) continue;
  const style = getComputedStyle(node);
  if (style.visibility === 'hidden') continue;
  const isPicture = node instanceof SVGElement;
  const [a, b] = [luminance(colour(isPicture ? style.fill : style.color)), luminance(ground(node))].sort((x, y) => y - x);
  looked += 1;
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) poor.push(`${ratio.toFixed(2)}: ${walker.currentNode.data.trim().slice(0, 30)} (${node.className.baseVal ?? node.className})`);
}
return [looked, [...new Set(poor)].slice(0, 10)];
"""

NAMELESS = """
const name = (node) => (node.getAttribute('aria-label') ?? '') + [...(node.labels ?? [])].map((each) => each.textContent).join('') + (node.textContent ?? '') + (node.getAttribute('title') ?? '')
  + (node.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join('');
const controls = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]:not([tabindex="-1"]), dialog, nav, svg[role]')];
return controls.filter((node) => !name(node).trim()).map((node) => node.outerHTML.slice(0, 120));
"""

STRUCTURE = """
const wrong = [];
if (document.documentElement.lang !== 'en') wrong.push('no language');
if (document.querySelectorAll('main').length !== 1) wrong.push('not one main');
if (document.querySelector('[tabindex]:not([tabindex="0"]):not([tabindex="-1"])')) wrong.push('a tabindex above 0');
const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
if (new Set(ids).size !== ids.length) wrong.push('an id twice: ' + ids.filter((id, i) => ids.indexOf(id) !== i));
for (const image of document.querySelectorAll('svg')) if (!image.closest('[aria-hidden]') && !image.getAttribute('aria-label')) wrong.push('a picture without a name');
for (const row of document.querySelectorAll('[role=row]')) if (!row.closest('[role=grid]')) wrong.push('a row outside a grid');
for (const cell of document.querySelectorAll('[role=gridcell], [role=columnheader]')) if (cell.parentElement.getAttribute('role') !== 'row') wrong.push('a cell outside a row');
for (const node of document.querySelectorAll('[aria-activedescendant]')) if (!document.getElementById(node.getAttribute('aria-activedescendant'))) wrong.push('an active row that is not there');
if (document.querySelector('[style*=":"]') && [...document.querySelectorAll('[style]')].some((node) => !node.closest('.table, .slowest'))) wrong.push('a style outside tables');
for (const table of document.querySelectorAll('.table')) if (table.scrollWidth > table.clientWidth + 1) wrong.push('a table is wider than its place: ' + table.scrollWidth + ' > ' + table.clientWidth);
if (document.documentElement.scrollWidth > document.documentElement.clientWidth) wrong.push('the page is wider than its window: ' + document.documentElement.scrollWidth);
return wrong;
"""

VIEWS = ["#/", "#/instruments", "#/bot/demo1", "#/bot/demo1/exchange_round_trip_seconds?label.venue=simulated", "#/objectives", "#/alerts", "#/collector"]


def check_accessibility(page, collector):
    """Names of controls, contrast, structure and focus order of each view, light and dark, wide and narrow."""
    looked = 0
    for theme, width, height in (("light", 1440, 900), ("dark", 390, 844), ("light", 1280, 800), ("dark", 1000, 800)):
        page.look(width, height, theme)
        page.open()
        for view in VIEWS if width in (1440, 390) else VIEWS[:3]:
            page.go(view)
            until(lambda: page.all("main .view"), "a view")
            time.sleep(0.25)
            number, poor = page.js(CONTRAST)
            looked += number
            assert not poor, f"{view} {theme}: contrast {poor}"
            nameless = page.js(NAMELESS)
            assert not nameless, f"{view}: controls without a name: {nameless}"
            wrong = page.js(STRUCTURE)
            assert not wrong, f"{view} at {width} px: {wrong}"
    page.look(1440, 900, "light")
    page.open()
    order = []
    for _ in range(16):
        page.press(Keys.TAB)
        order.append(page.js("const n = document.activeElement; return n.id || n.textContent.slice(0, 20) || n.className"))
    wanted = ["Skip to the figures", "Ringside", "Fleet", "Instruments", "Objectives", "search", "pause", "theme", "help-open"]
    places = [order.index(each) for each in wanted]
    assert places == sorted(places), f"the focus goes {order}"
    return f"{looked} texts looked at"


def check_hostile(page, collector):
    """Texts of bots stay text, in every view."""
    server = Server(Generated(bots=len(HOSTILE), series=20, hostile=True), collector.url)
    try:
        page.open(url=server.url)
        views = ["#/", "#/instruments", "#/alerts", "#/objectives", "#/collector"]
        views += ["#/bot/" + urllib.request.quote(name, safe="") for name in HOSTILE if len(name) < 200]
        for view in views:
            page.go(view)
            time.sleep(0.15)
            assert page.js("return window.wasHarmed === undefined && !document.querySelector('main script, main img, [onload], [onerror]')"), view
            assert page.js("return document.documentElement.scrollWidth <= document.documentElement.clientWidth"), f"{view} is wider than the window"
            assert not page.js("return [...document.querySelectorAll('a')].some((each) => each.protocol === 'javascript:')"), view
            assert "\u202e" not in page.text("body") and "\u2066" not in page.text("body"), f"{view} shows a control"
        page.go("#/bot/" + urllib.request.quote(HOSTILE[0], safe=""))
        until(lambda: page.text("h1") == HOSTILE[0], "the name as text")
        page.open("#/bot/" + urllib.request.quote(HOSTILE[0], safe="") + "/" + urllib.request.quote(HOSTILE[7], safe=""), url=server.url)
        assert page.text("h1") == HOSTILE[7], page.text("h1")
        page.open(url=collector.url)
        errors = [each for each in page.console() if "404" not in each]
        assert not errors, errors
    finally:
        page.driver.get("about:blank")
        server.close()


def check_large(page, collector):
    """50 bots with 2,000 histograms: the time between frames while the table is live and scrolled."""
    server = Server(Generated(bots=50, series=40), collector.url)
    try:
        page.open("#/instruments", url=server.url)
        until(lambda: page.text(".count") == "2,000", "2,000 rows")
        nodes = page.js("return document.querySelectorAll('.rows > .row').length")
        assert nodes < 80, f"{nodes} rows exist at once"
        page.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        before = page.work()
        frames = page.driver.execute_async_script("""
            const done = arguments[0];
            const table = document.querySelector('.table');
            const frames = [];
            let last = null;
            const end = performance.now() + 4000;
            function frame(now) {
              if (last !== null) frames.push(now - last);
              last = now;
              table.scrollTop = (table.scrollTop + 40) % 40000;
              if (now < end) requestAnimationFrame(frame); else done(frames);
            }
            requestAnimationFrame(frame);""")
        size = len(server.change)
        busy = (page.work() - before) / sum(frames) * 1000
        words = f"main thread {100 * busy:.0f} % busy; frames: p50 {quantile(frames, 0.5):.1f} ms, p95 {quantile(frames, 0.95):.1f} ms, worst {max(frames):.1f} ms; {size / 1e6:.2f} MB a second before compression; {nodes} rows"
        return words
    finally:
        page.driver.get("about:blank")
        server.close()


def check_clean(page, collector):
    """Nothing in the console, no violation of the policy, no request to anywhere else."""
    page.console()
    page.open()
    page.js("performance.setResourceTimingBufferSize(5000)")
    for view in VIEWS:
        page.go(view)
        time.sleep(0.4)
    messages = page.console()
    assert not messages, messages
    asked = page.requests()
    elsewhere = [each for each in asked if not each.startswith(collector.url)]
    assert len(asked) > 20 and not elsewhere, elsewhere or asked
    return f"{len(asked)} requests, none of them elsewhere"


def check_reconnect(page, collector):
    """The collector is killed: the page says that its figures are old, and goes on by itself when it is back."""
    page.open()
    collector.kill()
    until(lambda: page.state == "stale", "a stale page", 10)
    assert page.text("#banner").startswith("Stale.") and "All figures are of" in page.text("#banner"), page.text("#banner")
    old = page.time
    assert page.js("return getComputedStyle(document.querySelector('.fleet-table .rows .figure')).fontStyle") == "italic", "old figures look like new ones"
    time.sleep(1.5)
    assert page.state == "stale" and page.time == old
    assert "old" in page.text("#updated"), page.text("#updated")
    colours = page.js("return [...document.querySelectorAll('.card .headline, .troubles .sign')].map((each) => getComputedStyle(each).color)")
    assert len(set(colours)) == 1, f"old figures have colours of their own: {colours}"
    page.go("#/collector")
    until(lambda: "cannot be read: the collector does not answer" in page.text("main"), "words about the health")
    page.go("#/")
    collector.start()
    page.live(30)
    until(lambda: page.time > old, "new figures")
    assert not page.js("return document.getElementById('banner').checkVisibility()")


CHECKS = [
    check_figures, check_live, check_two_clicks, check_filter, check_pause, check_hidden, check_instrument, check_short_addresses, check_narrow, check_keys,
    check_modules, check_single_point, check_past, check_picked_now, check_export, check_other_shapes, check_accessibility, check_clean, check_hostile, check_large, check_reconnect,
]


def take_picture(page, path):
    page.look(1280, 800, "light")
    page.open()
    until(lambda: page.all(".slowest a") and "up" in page.text(".cards"), "a whole page")
    # A minute, so that objectives have data and an alert fires.
    until(lambda: page.all(".troubles li.bad"), "an alert", 120)
    page.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    time.sleep(3)
    picture = page.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": 82})
    data = base64.b64decode(picture["data"])
    assert len(data) < 150_000, f"the picture has {len(data)} bytes"
    pathlib.Path(path).write_bytes(data)
    return f"{len(data)} bytes"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--front")
    parser.add_argument("--picture")
    parser.add_argument("--only")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    collector = Collector(options.bin, options.front)
    driver = None
    failures = 0
    try:
        collector.start_all()
        driver = browser()
        driver.set_script_timeout(30)
        page = Page(driver, collector.url)
        checks = CHECKS if not options.only else [each for each in CHECKS if each.__name__ == f"check_{options.only}"]
        if options.picture:
            checks = checks + [lambda page, _: take_picture(page, options.picture)]
        failures = run_checks(checks, page, collector)
    finally:
        if driver:
            driver.quit()
        collector.end()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
