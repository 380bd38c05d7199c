"""The demo's page with buttons in headless Chromium, beside a real collector: each button is pressed, and its effect is
looked for in the collector's figures and on its page.

Usage: demo_page.py BIN [--only NAME] [--pictures FOLDER]
  BIN  the folder with ringsided and ringside-demo

Prints a line for each check. Exits 1 if a check failed.
"""

import argparse
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from selenium.webdriver.common.by import By

from checks import browser, free_port, run_checks, until
from page import CONTRAST, NAMELESS, STRUCTURE


class Stage:
    """A collector, and three bots with a page."""

    def __init__(self, binaries):
        self.work = tempfile.mkdtemp(prefix="ringside-demo-page.")
        self.rings = tempfile.mkdtemp(prefix="ringside-demo-page.", dir="/dev/shm")
        port, page_port = free_port(), free_port()
        self.url, self.page_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{page_port}"
        self.programs = []
        self.run(f"{binaries}/ringsided", "--ring-dir", self.rings, "--state-dir", f"{self.work}/state", "--web.listen-address", f"127.0.0.1:{port}")
        self.run(
            f"{binaries}/ringside-demo", "--bots", "3", "--rate", "500", "--ring-dir", self.rings, "--pause-meter",
            "--ui", f"127.0.0.1:{page_port}", "--collector", self.url)

    def run(self, *command):
        log = open(pathlib.Path(self.work, "log"), "ab")
        self.programs.append(subprocess.Popen(command, stdout=log, stderr=log))

    def latest(self):
        with urllib.request.urlopen(f"{self.url}/latest", timeout=5) as answer:
            return json.load(answer)

    def bot(self, name):
        return next(bot for bot in self.latest()["bots"] if bot["bot"] == name)

    def metric(self, bot, name, **labels):
        return next(each for each in self.bot(bot)["metrics"] if each["name"] == name and labels.items() <= each["labels"].items())

    def value(self, bot, name, **labels):
        return self.metric(bot, name, **labels)["value"]

    def lost(self, bot):
        return sum(number for ring in self.bot(bot)["rings"] for cause, number in ring["lost"].items() if cause != "before_attach")

    def firing(self, alert, bot):
        return any(each["alert"] == alert and each["bot"] == bot and each["state"] == "firing" for each in self.latest()["alerts"])

    def end(self):
        for program in reversed(self.programs):
            program.terminate()
        for program in self.programs:
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.rings, ignore_errors=True)


class Buttons:
    def __init__(self, driver, stage):
        self.driver, self.stage = driver, stage
        self.look(1440, 900, "light")

    def look(self, width, height, theme):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})

    def open(self):
        self.driver.get(self.stage.page_url)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def choose(self, bot):
        self.driver.find_element(By.CSS_SELECTOR, f"[name=bot][value='{bot}']").click()

    def press(self, action):
        """Presses a button. Returns what the page says then: what was done, what to look at, where."""
        self.js("document.getElementById('log').replaceChildren()")
        self.driver.find_element(By.CSS_SELECTOR, f"[data-action={action}]").click()
        item = until(lambda: self.driver.find_elements(By.CSS_SELECTOR, "#log li"), f"an answer to {action}")[0]
        links = item.find_elements(By.TAG_NAME, "a")
        return item.text, links[0].get_attribute("href") if links else ""

    def follow(self, address, heading):
        """Opens the collector's page where the answer leads."""
        self.driver.get("about:blank")
        self.driver.get(address)
        until(lambda: heading in self.js("return document.querySelector('main h1')?.innerText ?? ''"), f"{heading} on the collector's page")
        self.open()


def check_orders(page, stage):
    """Buy and sell send an order of the chosen bot, each press one."""
    page.open()
    page.choose(2)
    for action in ("buy", "sell"):
        labels = {"order_type": "MARKET", "direction": action.upper(), "status": "success"}
        before = stage.value("demo2", "orders_submitted_total", **labels)
        for _ in range(5):
            words, address = page.press(action)
            time.sleep(0.1)
        assert f"demo2 sends an order: {action} 100 shares" in words, words
        until(lambda: stage.value("demo2", "orders_submitted_total", **labels) >= before + 5, f"five orders to {action}")
    page.follow(address, "strategy_portfolio_net_exposure_usd")


def check_slow_risk(page, stage):
    """The risk check of one bot is slow, the other bots' is not."""
    page.open()
    words, address = page.press("slow-risk")
    assert "demo1" in words, words

    def p50(bot):
        return stage.metric(bot, "risk_pretrade_check_latency_seconds", check_type="position")["windows"]["5s"]["p50"] or 0

    until(lambda: p50("demo1") > 0.005, "a slow check")
    assert p50("demo2") < 0.005
    page.follow(address, "risk_pretrade_check_latency_seconds")


def check_venue_away(page, stage):
    """The venue goes, its alert fires, and the venue comes back."""
    page.open()
    page.choose(2)
    words, address = page.press("venue-away")
    assert "demo2" in words, words
    until(lambda: stage.value("demo2", "execution_api_up") == 0, "a venue that is away")
    assert stage.value("demo1", "execution_api_up") == 1
    until(lambda: stage.firing("execution_api_down", "demo2"), "the alert")
    page.follow(address, "Alerts")
    until(lambda: stage.value("demo2", "execution_api_up") == 1, "a venue that is back")


def check_burst(page, stage):
    """A burst is many messages; on the small ring records of it are lost, and the page says of which."""
    page.open()
    before = stage.value("demo1", "data_ticks_received_total")
    words, _ = page.press("burst")
    assert "large enough" in words, words
    until(lambda: stage.value("demo1", "data_ticks_received_total") > before + 10_000, "a burst")
    page.choose(3)
    lost = stage.lost("demo3")
    words, address = page.press("burst")
    assert "Its ring is small" in words, words
    until(lambda: stage.lost("demo3") > lost, "lost records")
    until(lambda: stage.firing("records_lost", "demo3"), "the alert")
    page.follow(address, "demo3")


def check_stop(page, stage):
    """All bots stand still for two seconds, and the pause meter knows."""
    page.open()
    words, address = page.press("stop")
    assert "All bots" in words, words
    refused, _ = page.press("buy")
    assert "try again in a moment" in refused, refused
    until(lambda: (stage.metric("demo1", "runtime_pause_seconds")["windows"]["5s"]["max"] or 0) > 1.5, "a long pause")
    page.follow(address, "runtime_pause_seconds")


def check_crash(page, stage):
    """All bots die and come back, and their counters go on."""
    page.open()
    before = stage.value("demo2", "data_ticks_received_total")
    words, address = page.press("crash")
    assert "were killed" in words, words
    until(lambda: not stage.bot("demo2")["up"], "bots that are down")
    until(lambda: stage.firing("bot_down", "demo2"), "the alert")
    refused, _ = page.press("sell")
    assert "come back in a moment" in refused, refused
    until(lambda: stage.bot("demo2")["up"], "bots that are back")
    until(lambda: stage.value("demo2", "data_ticks_received_total") > before, "counters that go on")
    until(lambda: "sends an order" in page.press("buy")[0], "buttons that work again")
    page.follow(address, "")


def check_look(page, stage):
    """Names of controls, contrast, structure and width, in both themes and two sizes, with answers and without."""
    for theme, width, height in (("light", 1440, 900), ("dark", 390, 844), ("light", 390, 844), ("dark", 1440, 900)):
        page.look(width, height, theme)
        page.open()
        for action in (None, "buy", "sell"):
            if action:
                page.press(action)
            _, poor = page.js(CONTRAST)
            assert not poor, f"{theme}: contrast {poor}"
            assert not (nameless := page.js(NAMELESS)), f"controls without a name: {nameless}"
            assert not (wrong := page.js(STRUCTURE)), f"at {width} px: {wrong}"
        if width == 390:
            assert page.js("const box = document.querySelector('#log li').getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight"), "the answer is out of sight"
    page.look(1440, 900, "light")


def check_keys(page, stage):
    """A bot is chosen and a button is pressed by keys alone."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    page.open()
    keys = ActionChains(page.driver).send_keys(Keys.TAB, Keys.TAB, Keys.ARROW_RIGHT, Keys.TAB, Keys.ENTER)
    keys.perform()
    until(lambda: "demo2 sends an order: buy" in page.js("return document.getElementById('log').innerText"), "an order by keys")


def refusal(stage, **headers):
    request = urllib.request.Request(f"{stage.page_url}/act?action=crash", method="POST", headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def check_hostile(page, stage):
    """Pages of other sites and names that lead here press nothing; the page itself loads and runs nothing foreign."""
    for headers in (
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"},
        {"Host": "evil.example"}, {"Host": "evil.example", "Origin": "http://evil.example"}, {"Origin": stage.url},
    ):
        status = refusal(stage, **headers)
        assert status == 403, f"{headers}: {status}"
    # A real page of another site: a page from a file, whose request has no origin, and the collector's own.
    for address in ("data:text/html,<p>evil", f"{stage.url}/health"):
        page.driver.get(address)
        page.driver.execute_async_script(
            "const done = arguments[1]; fetch(arguments[0], { method: 'POST', mode: 'no-cors' }).then(() => done(1), () => done(0));", f"{stage.page_url}/act?action=crash")
        page.driver.execute_async_script(
            "const done = arguments[1]; const form = Object.assign(document.createElement('form'), { method: 'POST', action: arguments[0] });"
            "const frame = Object.assign(document.createElement('iframe'), { name: 'inner', onload: () => setTimeout(done, 300) });"
            "form.target = 'inner'; document.documentElement.append(frame, form); form.submit(); setTimeout(done, 2000);", f"{stage.page_url}/act?action=crash")
    page.open()
    assert "sends an order" in page.press("buy")[0], "a foreign page has killed the bots"
    page.js("document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.wasHarmed = true' }))")
    assert page.js("return window.wasHarmed === undefined"), "the page runs a script that is not its own"
    page.driver.get_log("browser")
    page.open()
    page.press("sell")
    messages = [each["message"] for each in page.driver.get_log("browser")]
    assert not messages, messages
    asked = page.js("return performance.getEntriesByType('resource').map((each) => each.name)")
    assert asked and all(each.startswith(stage.page_url) for each in asked), asked


CHECKS = [
    check_orders, check_slow_risk, check_look, check_keys, check_hostile, check_venue_away, check_burst, check_stop, check_crash,
]


def take_pictures(page, folder):
    for theme, width, height in (("light", 1440, 900), ("dark", 1440, 900), ("light", 390, 844), ("dark", 390, 844)):
        page.look(width, height, theme)
        page.open()
        for action in ("buy", "burst", "slow-risk"):
            page.press(action)
        page.driver.save_screenshot(f"{folder}/buttons-{width}-{theme}.png")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--only")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    stage, driver, failures = Stage(options.bin), None, 0
    try:
        until(lambda: len(stage.latest()["bots"]) == 3, "a collector with bots")
        driver = browser()
        driver.set_script_timeout(30)
        page = Buttons(driver, stage)
        checks = [each for each in CHECKS if options.only in (None, each.__name__.removeprefix("check_"))]
        failures = run_checks(checks, page, stage)
        if options.pictures:
            take_pictures(page, options.pictures)
    finally:
        if driver:
            driver.quit()
        stage.end()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
