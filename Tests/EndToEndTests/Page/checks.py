"""What the checks of a page in headless Chromium share: a browser, waiting for an event, and a line for each check."""

import pathlib
import shutil
import socket
import time
import traceback

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PATIENCE = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, what, seconds=PATIENCE):
    """Waits for a condition that may fail while the page changes."""
    end = time.monotonic() + seconds
    failure = None
    while time.monotonic() < end:
        try:
            if found := condition():
                return found
        except Exception as error:
            failure = error
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {seconds} s{f': {failure}' if failure else ''}")


def browser():
    options = Options()
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--window-size=1440,900",
        "--disable-background-networking", "--disable-component-update", "--no-first-run",
    ):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or "/usr/bin/chromedriver"))


def run_checks(checks, page, stage):
    """Runs each check and prints a line for it. Returns how many failed."""
    failures = 0
    for check in checks:
        name = check.__name__.removeprefix("check_").replace("<lambda>", "picture")
        began = time.monotonic()
        try:
            words = check(page, stage) or ""
            print(f"ok {name} ({time.monotonic() - began:.1f} s) {words}".rstrip(), flush=True)
        except Exception as error:
            failures += 1
            lines = traceback.format_exc().strip().splitlines()
            file = pathlib.Path(check.__code__.co_filename).name
            place = next((line.strip() for line in reversed(lines) if file in line), "")
            print(f"FAILED {name}: {str(error)[:1500]} [{place}]", flush=True)
    return failures
