"""Pages of /metrics as Prometheus' own libraries read them: each form as the same samples.

Text and OpenMetrics go through prometheus_client's parsers, protobuf through Google's library and the official
metrics.proto. A sample is (name, labels) -> value; beside the samples stand exemplars, times of creation and native
histograms.
"""
import glob
import math
import os
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics

PROTO_ROOT = "/usr/share/gocode/src/github.com/prometheus/client_model"
PROTO_FILE = "io/prometheus/client/metrics.proto"


class Page:
    def __init__(self):
        self.samples = {}
        self.exemplars = {}
        self.created = {}
        self.natives = {}
        self.types = {}

    def add(self, name, labels, value):
        key = (name, tuple(sorted(labels.items())))
        if key in self.samples:
            raise ValueError(f"{key} stands twice")
        self.samples[key] = float(value)
        return key


def read_text(data):
    page = Page()
    names = [line.split(" ")[2] for line in data.decode().split("\n") if line.startswith("# TYPE ")]
    for name, family in zip(names, parser.text_string_to_metric_families(data.decode()), strict=True):
        page.types[name] = family.type
        for sample in family.samples:
            # The parser gives counters the suffix that OpenMetrics asks for, whether they have it or not.
            page.add(name if family.type == "counter" else sample.name, sample.labels, sample.value)
    return page


def read_openmetrics(data):
    page = Page()
    for family in openmetrics.text_string_to_metric_families(data.decode()):
        page.types[family.name] = family.type
        for sample in family.samples:
            if sample.name.endswith("_created") and family.type in ("counter", "histogram", "summary"):
                base = sample.name[: -len("_created")]
                page.created[(base, tuple(sorted(sample.labels.items())))] = sample.value
                continue
            key = page.add(sample.name, sample.labels, sample.value)
            if sample.exemplar is not None:
                length = sum(len(k) + len(v) for k, v in sample.exemplar.labels.items())
                if length > 128:
                    raise ValueError(f"{key}: an exemplar of {length} characters")
                page.exemplars[key] = (
                    sample.exemplar.labels["trace_id"], sample.exemplar.value, float(sample.exemplar.timestamp))
    return page


_family_class = None


def family_class():
    """The official MetricFamily, with the fields that later versions of metrics.proto added (0.5: created_timestamp; 0.6:
    unit)."""
    global _family_class
    if _family_class is not None:
        return _family_class
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "set")
        subprocess.run(
            ["protoc", f"-I{PROTO_ROOT}", "-I/usr/include", "--include_imports", f"--descriptor_set_out={target}",
             PROTO_FILE], check=True)
        with open(target, "rb") as file:
            files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    field = descriptor_pb2.FieldDescriptorProto
    for file in files.file:
        for message in file.message_type:
            number = {"Counter": 3, "Summary": 4, "Histogram": 15}.get(message.name)
            if number and all(known.number != number for known in message.field):
                message.field.add(
                    name="created_timestamp", number=number, label=field.LABEL_OPTIONAL, type=field.TYPE_MESSAGE,
                    type_name=".google.protobuf.Timestamp")
            if message.name == "MetricFamily" and all(known.number != 5 for known in message.field):
                message.field.add(name="unit", number=5, label=field.LABEL_OPTIONAL, type=field.TYPE_STRING)
        pool.Add(file)
    _family_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("io.prometheus.client.MetricFamily"))
    return _family_class


def delimited(data):
    place = 0
    while place < len(data):
        length = shift = 0
        while True:
            byte = data[place]
            place += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield family_class().FromString(data[place : place + length])
        place += length


def seconds(timestamp):
    return timestamp.seconds + timestamp.nanos / 1e9


def number_text(value):
    """As Go's %g, with .0 where there is neither point nor exponent: what Prometheus makes of a bound."""
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    text = repr(value)
    if abs(value) >= 1e6:
        mantissa, exponent = f"{value:.17e}".split("e")
        for digits in range(17):
            short = f"{value:.{digits}e}"
            if float(short) == value:
                mantissa, exponent = short.split("e")
                break
        text = f"{mantissa}e+{int(exponent):02d}"
    return text


def read_protobuf(data):
    page = Page()
    for family in delimited(data):
        if unknown_fields(family):
            raise ValueError(f"{family.name}: fields that metrics.proto does not know")
        kind = family.DESCRIPTOR.fields_by_name["type"].enum_type.values_by_number[family.type].name.lower()
        page.types[family.name] = kind
        for metric in family.metric:
            read_metric(page, family.name, kind, metric)
    return page


def unknown_fields(message):
    from google.protobuf import unknown_fields as unknown

    if len(unknown.UnknownFieldSet(message)):
        return True
    for field, value in message.ListFields():
        if field.message_type is not None:
            parts = value if not hasattr(value, "ListFields") else [value]
            if any(unknown_fields(part) for part in parts):
                return True
    return False


def read_metric(page, name, kind, metric):
    labels = {pair.name: pair.value for pair in metric.label}
    if len(labels) != len(metric.label):
        raise ValueError(f"{name}: a label stands twice")
    key = (name, tuple(sorted(labels.items())))
    if kind == "counter":
        page.add(name, labels, metric.counter.value)
        if metric.counter.HasField("created_timestamp"):
            base = name[: -len("_total")] if name.endswith("_total") else name
            page.created[(base, key[1])] = seconds(metric.counter.created_timestamp)
    elif kind == "gauge":
        page.add(name, labels, metric.gauge.value)
    elif kind == "untyped":
        page.add(name, labels, metric.untyped.value)
    elif kind == "summary":
        page.add(name + "_count", labels, metric.summary.sample_count)
        page.add(name + "_sum", labels, metric.summary.sample_sum)
        for quantile in metric.summary.quantile:
            page.add(name, labels | {"quantile": number_text(quantile.quantile)}, quantile.value)
    elif kind == "histogram":
        read_histogram(page, name, labels, key, metric.histogram)
    else:
        raise ValueError(f"{name}: type {kind}")


def read_histogram(page, name, labels, key, histogram):
    page.add(name + "_count", labels, histogram.sample_count)
    page.add(name + "_sum", labels, histogram.sample_sum)
    if histogram.HasField("created_timestamp"):
        page.created[key] = seconds(histogram.created_timestamp)
    bounds = [bucket.upper_bound for bucket in histogram.bucket]
    if bounds != sorted(set(bounds)):
        raise ValueError(f"{name}: bounds out of order")
    for bucket in histogram.bucket:
        bucket_key = page.add(
            name + "_bucket", labels | {"le": number_text(bucket.upper_bound)}, bucket.cumulative_count)
        if bucket.HasField("exemplar"):
            trace = {pair.name: pair.value for pair in bucket.exemplar.label}
            page.exemplars[bucket_key] = (
                trace["trace_id"], bucket.exemplar.value, seconds(bucket.exemplar.timestamp))
    if math.inf not in bounds:
        page.add(name + "_bucket", labels | {"le": "+Inf"}, histogram.sample_count)
    page.natives[key] = native(histogram)


def native(histogram):
    """Schema, zero count, and {index: count} of either sign."""

    def buckets(spans, deltas):
        counts, index, count, place = {}, 0, 0, 0
        for span in spans:
            index += span.offset
            for _ in range(span.length):
                count += deltas[place]
                place += 1
                if count < 0:
                    raise ValueError("a negative count")
                if count:
                    counts[index] = count
                index += 1
        if place != len(deltas):
            raise ValueError("deltas beyond the spans")
        return counts

    return (
        histogram.schema, histogram.zero_count, buckets(histogram.positive_span, histogram.positive_delta),
        buckets(histogram.negative_span, histogram.negative_delta))


def native_quantile(native_histogram, quantile):
    """The bounds of the bucket that holds the ceil(q n)-th smallest value."""
    schema, zero, positive, negative = native_histogram
    base = 2.0 ** (2.0 ** -schema)
    axis = [(-(base**index), -(base ** (index - 1)), count) for index, count in sorted(negative.items(), reverse=True)]
    axis += [(0.0, 0.0, zero)] if zero else []
    axis += [(base ** (index - 1), base**index, count) for index, count in sorted(positive.items())]
    total = sum(count for _, _, count in axis)
    rank, seen = max(1, math.ceil(quantile * total - 1e-9)), 0
    for low, high, count in axis:
        seen += count
        if seen >= rank:
            return low, high
    return None


def expect_same(first, second, what, ignoring=lambda key: False):
    """That two pages have the same samples, exemplars and times of creation."""
    ours = {key: value for key, value in first.samples.items() if not ignoring(key)}
    theirs = {key: value for key, value in second.samples.items() if not ignoring(key)}
    for key in ours.keys() ^ theirs.keys():
        raise ValueError(f"{what}: {key} is in one of them alone")
    for key, value in ours.items():
        other = theirs[key]
        if value != other and not (math.isnan(value) and math.isnan(other)):
            raise ValueError(f"{what}: {key} is {value} and {other}")


def expect_natives(page):
    """That each native histogram holds what the classic one beside it holds."""
    for (name, labels), histogram in page.natives.items():
        schema, zero, positive, negative = histogram
        count = zero + sum(positive.values()) + sum(negative.values())
        if count != page.samples[(name + "_count", labels)]:
            raise ValueError(f"{name}{labels}: {count} in the native buckets")


def triples(folder):
    """The pages of one snapshot each: (name, text, OpenMetrics, protobuf)."""
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        stem = path[: -len(".txt")]
        yield os.path.basename(stem), *(open(stem + suffix, "rb").read() for suffix in (".txt", ".om", ".pb"))


def main(folder):
    pages = 0
    for stem, text, om, pb in triples(folder):
        try:
            read = read_text(text), read_openmetrics(om), read_protobuf(pb)
            # The sketches of hostile snapshots are made up: they have not the counts of the buckets beside them.
            compare(*read, are_sketches_real=not stem.startswith("hostile"))
        except Exception as error:
            raise SystemExit(f"{stem}: {type(error).__name__}: {error}")
        pages += 1
    print(f"{pages} pages agree")


def compare(text, om, pb, are_sketches_real=True):
    signed = {
        name for name, kind in pb.types.items()
        if kind == "histogram" and any(native[3] for (own, _), native in pb.natives.items() if own == name)
    }

    def of_signed(key, suffixes):
        return any(key[0] == name + suffix for name in signed for suffix in suffixes)

    # Where there are negative values text has no _sum and OpenMetrics neither that nor _count.
    expect_same(text, om, "text and OpenMetrics", lambda key: of_signed(key, ["_sum", "_count"]))
    expect_same(text, pb, "text and protobuf", lambda key: of_signed(key, ["_sum"]))
    if are_sketches_real:
        expect_natives(pb)
    for key in om.created.keys() ^ pb.created.keys():
        raise ValueError(f"the creation of {key} is in one form alone")
    for key, value in om.created.items():
        if abs(value - pb.created[key]) > 0.0011:
            raise ValueError(f"{key} was created at {value} and {pb.created[key]}")
    for key in om.exemplars.keys() ^ pb.exemplars.keys():
        raise ValueError(f"the exemplar of {key} is in one form alone")
    for key, (trace, value, time) in om.exemplars.items():
        other = pb.exemplars[key]
        if (trace, value) != other[:2] or abs(time - other[2]) > 0.0011:
            raise ValueError(f"{key}: exemplars {(trace, value, time)} and {other}")


if __name__ == "__main__":
    main(sys.argv[1])
