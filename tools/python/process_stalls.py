"""Stops processes at random, each for some milliseconds up to seconds, as a machine with other work does. What a test says must not
depend on it."""

import os
import random
import signal
import time

# Stops a second. Of them 60 % last for less than 50 ms, 35 % for less than 0.4 s, and 5 % for up to 2.5 s.
RATE = 15


def states_and_sessions():
    """The state and the session of each process that lives, by its number."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue  # it ended
        found[int(name)] = (fields[0], int(fields[3]))
    return found


class ProcessStalls:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ends = {}  # the moment at which a stopped process goes on, by its number
        self.next = time.monotonic()
        self.count = 0

    def step(self, sessions):
        """Continues what was stopped for long enough, and stops another process of these sessions where the time has come."""
        now = time.monotonic()
        for process in [process for process, end in self.ends.items() if now >= end]:
            self.resume(process)
        if now < self.next:
            return
        self.next = now + self.random.expovariate(RATE)
        able = [process for process, (state, session) in states_and_sessions().items()
                if session in sessions and state not in "TtZX" and process not in self.ends]
        if not able:
            return
        process = self.random.choice(able)
        shortest, longest = self.random.choices([(0.005, 0.05), (0.05, 0.4), (0.4, 2.5)], [60, 35, 5])[0]
        try:
            os.kill(process, signal.SIGSTOP)
        except ProcessLookupError:
            return
        self.ends[process] = now + self.random.uniform(shortest, longest)
        self.count += 1

    def resume(self, process):
        del self.ends[process]
        try:
            os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def end(self):
        for process in list(self.ends):
            self.resume(process)
