import Exposition
import Testing

@testable import HTTP

@Suite struct NegotiationTests {
    /// The headers of Prometheus 2.42 with native histograms on, of 2.42 without them, and of version 3.
    static let prometheus242Native =
        "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
        + "application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,"
        + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    static let prometheus242 =
        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
        + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
    static let prometheus3 =
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
        + "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
        + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
    static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"

    @Test(
        "the format that is wanted most is sent",
        arguments: [
            (prometheus242Native, ExpositionFormat.protobuf), (prometheus242, .openMetrics),
            (prometheus3, .openMetrics),
            (browser, .text), ("", .text), ("*/*", .text), ("text/*", .text), ("application/*", .openMetrics),
            ("text/plain", .text), ("text/plain;version=0.0.4", .text), ("text/plain; charset=utf-8", .text),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text; version=0.0.1", .openMetricsDraft),
            (
                "application/openmetrics-text;version=0.0.1,application/openmetrics-text;version=1.0.0;q=0.9",
                .openMetricsDraft
            ),
            ("application/vnd.google.protobuf", .protobuf),
            ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", .text),
            ("application/vnd.google.protobuf;proto=some.Other;encoding=delimited", .text),
            ("APPLICATION/OpenMetrics-Text ; VERSION=\"1.0.0\" ; Q=0.5 , text/plain;q=0.4", .openMetrics),
            ("text/plain;q=0.9, application/openmetrics-text;q=0.901", .openMetrics),
            ("text/plain;q=0.9, application/openmetrics-text;q=0.899", .text),
            // If two are wanted equally, the more detailed one is used, but a named form is preferred to a wildcard.
            ("text/plain, application/openmetrics-text", .openMetrics),
            ("text/plain;q=0.5, */*;q=0.5", .text), ("application/openmetrics-text;q=0.5, */*;q=0.5", .openMetrics),
            // The range that names a form most exactly decides.
            ("*/*, text/plain;q=0, application/vnd.google.protobuf;q=0", .openMetrics),
            ("text/*;q=0.2, text/plain;version=0.0.4;q=0.9, application/openmetrics-text;q=0.5", .text),
            // If no form is available, the answer is text, and no 406.
            ("image/png", .text), ("text/plain;q=0", .text), ("*/*;q=0", .text), ("text/plain;version=9", .text),
        ])
    func accept(header: String, format: ExpositionFormat) {
        #expect(ExpositionFormat(accept: header) == format, "\(header)")
    }

    @Test(
        "a header that makes no sense leaves what does",
        arguments: [
            ",,,;;;===", "text", "/", "text/", "/plain", "*/plain;q=1", "q=1", ";q=0.5", "text/plain;q=2",
            "text/plain;q=-1", "text/plain;q=1.5", "text/plain;q=0.1234", "text/plain;q=nan", "text/plain;q=", "\"",
            "text/plain;\"", "text/plain;a=\"b,c;d\\\"", "\u{0}\u{1}", "é/ü;q=0.5",
        ])
    func nonsense(header: String) { checkNonsense(header) }

    @Test(
        "a long header that makes no sense leaves what does",
        arguments: [
            LabelledText("5,000 ranges", String(repeating: "a/b;q=0.1,", count: 5_000)),
            LabelledText("20,000 semicolons", String(repeating: ";", count: 20_000)),
        ])
    func longNonsense(header: LabelledText) { checkNonsense(header.text) }

    private func checkNonsense(_ header: String) {
        #expect(ExpositionFormat(accept: header) == .text)
        let rest = header.contains("\"") ? "" : ",application/openmetrics-text;version=1.0.0"
        #expect(ExpositionFormat(accept: header + rest) == (rest.isEmpty ? .text : .openMetrics))
    }

    @Test("a comma or a semicolon in quotes divides nothing")
    func quotes() {
        let ranges = MediaRange.list("text/plain;a=\"x,y;q=0 \\\"z\\\"\";q=0.25, */*")
        #expect(ranges.map(\.weight) == [250, 1000])
        #expect(ranges[0].value(of: "a") == "x,y;q=0 \"z\"")
    }

    @Test(
        "gzip is sent where it is wanted at least as much as plain bytes",
        arguments: [
            ("", ContentCoding.identity), ("gzip", .gzip), ("GZIP", .gzip), ("x-gzip", .gzip), ("*", .gzip),
            ("deflate, br", .identity), ("deflate, gzip;q=1.0, *;q=0.5", .gzip), ("gzip;q=0", .identity),
            ("gzip;q=0, *", .identity), ("*;q=0", .identity), ("identity", .identity),
            ("identity;q=0, gzip;q=0.1", .gzip),
            ("gzip;q=0.5, identity", .identity), ("gzip;q=0.5, identity;q=0.5", .gzip), ("gzip;q=x", .identity),
        ])
    func coding(header: String, coding: ContentCoding) {
        #expect(ContentCoding(acceptEncoding: header) == coding, "\(header)")
    }

    @Test(
        "a scraper's timeout is used where it is valid",
        arguments: [
            ("10", 10_000_000_000 as Int64?), ("0.5", 500_000_000), ("1.000000", 1_000_000_000),
            ("1e300", 60_000_000_000),
            ("0", nil), ("-1", nil), ("nan", nil), ("inf", nil), ("", nil), ("ten", nil), ("1 ", nil),
        ])
    func timeout(header: String, nanoseconds: Int64?) {
        #expect(RequestPreferences.nanoseconds(header) == nanoseconds)
    }
}
