"""The 128 bucket boundaries of an octave at schema 7, by two ways that share nothing with the sketch.

    /usr/bin/python3 tools/python/bucket_edges.py .build/published/histogram.go

A line each: 2^(i/128 - 1) to 80 digits, rounded to the nearest double; and what Prometheus' Go client publishes for it, read from
its source. Both as hexadecimal doubles.
"""

import decimal
import re
import sys

decimal.getcontext().prec = 80
with open(sys.argv[1], encoding="utf-8") as file:
    table = re.search(r"// Schema 7:\s*\{(.*?)\}", file.read(), re.DOTALL)
if table is None:
    sys.exit(f"{sys.argv[1]} has no table of schema 7")
published = [float(number) for number in re.findall(r"[0-9.]+(?:e-?[0-9]+)?", table.group(1))]
for index, bound in enumerate(published):
    exact = decimal.Decimal(2) ** (decimal.Decimal(index) / 128) / 2
    print(float(exact).hex(), bound.hex())
