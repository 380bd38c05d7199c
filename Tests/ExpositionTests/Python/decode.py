"""Reads with other people's code what this project encodes, and says it as JSON that a test can compare.

Usage: decode.py otlp-metrics|otlp-traces|remote-write|snappy FILE [ANSWER]
"""
import json
import struct
import sys

import cramjam


def number(value):
    """JSON has no NaN and no infinity, and Swift reads whole numbers beyond 2^53 only where they are no doubles."""
    return value if value == value and abs(value) != float("inf") else repr(value)


def attributes(items):
    return {item.key: str(getattr(item.value, item.value.WhichOneof("value"))) for item in items}


def otlp_metrics(body):
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

    points = []
    for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                form = metric.WhichOneof("data")
                data = getattr(metric, form)
                for point in data.data_points:
                    known = dict(
                        resource=attributes(resource.resource.attributes), scope=scope.scope.name, name=metric.name,
                        help=metric.description, unit=metric.unit, form=form, attributes=attributes(point.attributes),
                        start=point.start_time_unix_nano, time=point.time_unix_nano,
                        monotonic=getattr(data, "is_monotonic", False),
                        temporality=getattr(data, "aggregation_temporality", 0), flags=point.flags)
                    if form in ("gauge", "sum"):
                        kind = point.WhichOneof("value")
                        known["whole"] = kind == "as_int"
                        known["value"] = str(getattr(point, kind)) if kind else None
                    elif form == "exponential_histogram":
                        known.update(
                            count=point.count, sum=number(point.sum) if point.HasField("sum") else None,
                            scale=point.scale, zeros=point.zero_count,
                            exemplars=[
                                dict(traceID=e.trace_id.hex(), value=e.as_double, time=e.time_unix_nano)
                                for e in point.exemplars],
                            minimum=number(point.min) if point.HasField("min") else None,
                            maximum=number(point.max) if point.HasField("max") else None,
                            positive=dict(offset=point.positive.offset, counts=list(point.positive.bucket_counts)),
                            negative=dict(offset=point.negative.offset, counts=list(point.negative.bucket_counts)))
                    else:
                        known.update(
                            count=point.count, sum=number(point.sum),
                            quantiles=[[q.quantile, number(q.value)] for q in point.quantile_values])
                    points.append(known)
    return points


def otlp_traces(body):
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    return [
        dict(
            resource=attributes(resource.resource.attributes), traceID=span.trace_id.hex(), spanID=span.span_id.hex(),
            parent=span.parent_span_id.hex(), name=span.name, kind=span.kind, start=span.start_time_unix_nano,
            end=span.end_time_unix_nano, attributes=attributes(span.attributes), status=span.status.code,
            flags=span.flags)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def remote_write_class():
    """prompb's messages, field by field as prompb/types.proto and prompb/remote.proto number them."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    one, many = 1, 3
    double, int64, uint64, uint32, string, message, enum, sint32, sint64 = 1, 3, 4, 13, 9, 11, 14, 17, 18
    messages = {
        "Sample": [("value", 1, double, one), ("timestamp", 2, int64, one)],
        "Label": [("name", 1, string, one), ("value", 2, string, one)],
        "BucketSpan": [("offset", 1, sint32, one), ("length", 2, uint32, one)],
        "Histogram": [
            ("count_int", 1, uint64, one, 0), ("count_float", 2, double, one, 0), ("sum", 3, double, one),
            ("schema", 4, sint32, one), ("zero_threshold", 5, double, one), ("zero_count_int", 6, uint64, one, 1),
            ("zero_count_float", 7, double, one, 1), ("negative_spans", 8, "BucketSpan", many),
            ("negative_deltas", 9, sint64, many), ("negative_counts", 10, double, many),
            ("positive_spans", 11, "BucketSpan", many), ("positive_deltas", 12, sint64, many),
            ("positive_counts", 13, double, many), ("reset_hint", 14, int64, one), ("timestamp", 15, int64, one)],
        "TimeSeries": [
            ("labels", 1, "Label", many), ("samples", 2, "Sample", many), ("histograms", 4, "Histogram", many)],
        "WriteRequest": [("timeseries", 1, "TimeSeries", many)],
    }
    file = descriptor_pb2.FileDescriptorProto(name="remote.proto", package="prometheus", syntax="proto3")
    for name, fields in messages.items():
        description = file.message_type.add(name=name)
        if name == "Histogram":
            description.oneof_decl.add(name="count")
            description.oneof_decl.add(name="zero_count")
        for field, place, kind, label, *choice in fields:
            known = description.field.add(name=field, number=place, label=label)
            known.type = message if isinstance(kind, str) else kind
            if isinstance(kind, str):
                known.type_name = ".prometheus." + kind
            if choice:
                known.oneof_index = choice[0]
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("prometheus.WriteRequest"))


def remote_write(body):
    request = remote_write_class().FromString(bytes(cramjam.snappy.decompress_raw(body)))
    # A field that the official description does not have would be kept as unknown, and come out again.
    request_without = type(request).FromString(request.SerializeToString())
    request_without.DiscardUnknownFields()
    assert request_without == request, "unknown fields"
    bits = lambda value: struct.unpack("<Q", struct.pack("<d", value))[0]
    return [
        dict(
            labels=[[label.name, label.value] for label in series.labels],
            samples=[dict(bits=bits(s.value), time=s.timestamp) for s in series.samples],
            histograms=[
                dict(
                    whole=h.WhichOneof("count") == "count_int", count=h.count_int or int(h.count_float),
                    sumBits=bits(h.sum), schema=h.schema, zeroThreshold=h.zero_threshold,
                    zeros=h.zero_count_int or int(h.zero_count_float),
                    negativeSpans=[[s.offset, s.length] for s in h.negative_spans],
                    negativeDeltas=list(h.negative_deltas), negativeCounts=list(h.negative_counts),
                    positiveSpans=[[s.offset, s.length] for s in h.positive_spans],
                    positiveDeltas=list(h.positive_deltas), positiveCounts=list(h.positive_counts), time=h.timestamp)
                for h in series.histograms])
        for series in request.timeseries
    ]


def pieces(data):
    """Each with its length before it, in eight bytes."""
    place = 0
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        yield data[place + 8 : place + 8 + length]
        place += 8 + length


def snappy(data, answer):
    """Plain blocks and what became of them, in turn; answers with the same blocks as cramjam compresses them."""
    blocks = list(pieces(data))
    wrong = []
    with open(answer, "wb") as file:
        for index, (plain, compressed) in enumerate(zip(blocks[::2], blocks[1::2])):
            try:
                if bytes(cramjam.snappy.decompress_raw(compressed)) != plain:
                    wrong.append(f"block {index} of {len(plain)} bytes comes back as another")
            except Exception as error:
                wrong.append(f"block {index} of {len(plain)} bytes: {error}")
            ours = bytes(cramjam.snappy.compress_raw(plain))
            file.write(struct.pack("<Q", len(ours)) + ours)
    return dict(wrong=wrong, count=len(blocks) // 2)


if __name__ == "__main__":
    form, path = sys.argv[1:3]
    with open(path, "rb") as file:
        content = file.read()
    if form == "snappy":
        said = snappy(content, sys.argv[3])
    else:
        decode = {"otlp-metrics": otlp_metrics, "otlp-traces": otlp_traces, "remote-write": remote_write}[form]
        said = [known for body in pieces(content) for known in decode(body)]
    json.dump(said, sys.stdout)
