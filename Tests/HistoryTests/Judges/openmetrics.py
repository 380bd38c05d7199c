"""An OpenMetrics text as prometheus_client's strict parser reads it: samples as JSON, or the parser's refusal."""
import json
import math
import sys

from prometheus_client.openmetrics import parser

with open(sys.argv[1], encoding="utf-8", newline="\n") as text:
    try:
        families = list(parser.text_fd_to_metric_families(text))
    except ValueError as error:
        print(json.dumps({"refusal": str(error), "samples": []}))
        sys.exit()
samples = [
    {
        "family": family.name,
        "type": family.type,
        "name": sample.name,
        "labels": sample.labels,
        "value": None if math.isnan(sample.value) else sample.value,
        "time": float(sample.timestamp),
    }
    for family in families
    for sample in family.samples
]
print(json.dumps({"refusal": None, "samples": samples}))
