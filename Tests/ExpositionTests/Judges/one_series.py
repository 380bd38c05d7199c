"""What one page of /metrics says of one histogram of one bot: its count, its sum, and the bounds of the buckets that hold p99.

Usage: one_series.py openmetrics|protobuf FILE METRIC BOT
"""
import json
import math
import sys

import pages


def main(form, path, metric, bot):
    with open(path, "rb") as file:
        page = {"openmetrics": pages.read_openmetrics, "protobuf": pages.read_protobuf}[form](file.read())

    def mine(name):
        return {labels: value for (own, labels), value in page.samples.items()
                if own == metric + name and ("bot", bot) in labels}

    ((labels, count),) = mine("_count").items()
    (total,) = mine("_sum").values()
    if form == "protobuf":
        low, high = pages.native_quantile(page.natives[(metric, labels)], 0.99)
    else:
        edges = sorted((float(dict(labels)["le"]), value) for labels, value in mine("_bucket").items())
        place = next(place for place, (_, value) in enumerate(edges) if value >= math.ceil(0.99 * count))
        low, high = edges[place - 1][0] if place else 0.0, edges[place][0]
    json.dump(dict(count=count, sum=total, low=low, high=high), sys.stdout)


main(*sys.argv[1:])
