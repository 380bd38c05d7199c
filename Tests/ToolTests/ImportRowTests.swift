import Testing

@testable import LogImport

@Suite("Rows of a CSV file") struct ImportRowTests {
    private func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
        try Array(text.utf8).withUnsafeBytes(body)
    }

    /// Returns the fields of a line, and its problem, if it has one.
    private func fields(_ line: String, delimiter: Character = ",") -> ([String], FieldSplitter.Problem?) {
        withBytes(line) { bytes in
            var splitter = FieldSplitter(delimiter: delimiter.asciiValue!, capacity: 10)
            let problem = splitter.cut(bytes)
            let fields = (0..<splitter.count).map { String(decoding: splitter.fields[$0], as: UTF8.self) }
            return (fields, problem)
        }
    }

    @Test("fields are told apart, in quotes and without")
    func fieldsOfALine() {
        #expect(fields("1,2,3") == (["1", "2", "3"], nil))
        #expect(fields("1,,") == (["1", "", ""], nil))
        #expect(fields("") == ([""], nil))
        #expect(fields("\"a,b\",\"\",c") == (["a,b", "", "c"], nil))
        #expect(fields("\"say \"\"no\"\"\",1") == (["say \"\"no\"\"", "1"], nil))
        #expect(fields("1;2", delimiter: ";") == (["1", "2"], nil))
        #expect(fields("1,\"2").1 == .quoteNotClosed)
        #expect(fields("\"1\"x,2").1 == .textAfterQuote)
    }

    @Test("whole numbers are exact to the last, and nothing else is one")
    func wholeNumbers() {
        func whole(_ text: String) -> UInt64? { withBytes(text) { NumberParser.whole($0) } }
        #expect(whole("0") == 0)
        #expect(whole(" 42\t") == 42)
        #expect(whole("18446744073709551615") == .max)
        #expect(whole("18446744073709551616") == nil)
        #expect(whole("99999999999999999999999") == nil)
        #expect(whole("12.0") == 12)
        #expect(whole("1e3") == 1000)
        for text in ["", "-1", "1.5", "x", "1x", "0x10", "nan", "1e400", "1\u{0}2", "é"] { #expect(whole(text) == nil) }
    }

    @Test("numbers with fractions are the nearest doubles")
    func realNumbers() {
        func real(_ text: String) -> Double? { withBytes(text) { NumberParser.real($0) } }
        for text in [
            "0", "-0.5", "1234.5", "0.1", "123456789012345", "1e-9", "2.2250738585072014e-308", "17976931348623157e292",
        ] {
            #expect(real(text) == Double(text))
        }
        for text in ["", ".", "-", "inf", "nan", "1,5", "1e999", "--1", "1.2.3"] { #expect(real(text) == nil) }
    }

    @Test("the header's columns are found by name, wherever they stand and whatever stands beside them")
    func headerByName() throws {
        let mapping = ImportMapping.telemetryLog(producer: "p", consumer: "c")
        let header = ["extra"] + ImportMapping.telemetryLogHeader.reversed()
        let rows = try RowReader(header: header, mapping: mapping)
        #expect(
            withBytes("x y,9,8,160000,80000,40000,1234.5,4096,1024,3,2,1,1700000000000000001") { rows.read($0) } == nil)
        #expect(rows.timeNanoseconds == 1_700_000_000_000_000_001)
        let values = Dictionary(uniqueKeysWithValues: zip(mapping.rules.map(\.series), rows.values))
        #expect(values["orders_produced_total{producer_id=\"p\"}"]?.whole == 1)
        #expect(values["orders_consumed_total{consumer_id=\"c\"}"]?.whole == 2)
        #expect(values["orders_dropped_total{producer_id=\"p\"}"]?.whole == 3)
        #expect(values["buffer_utilization_ratio"]?.real == 0.25)
        #expect(values["throughput_orders_per_second"]?.real == 1234.5)
        #expect(values["source_latency_mean_seconds"]?.real == 4e-5)
        #expect(values["source_latency_p99_seconds"]?.real == 1.6e-4)
        #expect(values["network_errors_total"]?.whole == 8)
        #expect(values["batches_sent_total"]?.whole == 9)
    }

    @Test("missing columns are named, all of them")
    func missingColumns() {
        let mapping = ImportMapping.telemetryLog(producer: "p", consumer: "c")
        let error = #expect(throws: HeaderError.self) {
            try RowReader(
                header: ImportMapping.telemetryLogHeader.filter { $0 != "batch_count" && $0 != "buffer_capacity" },
                mapping: mapping)
        }
        #expect(
            error?.description.hasPrefix("the header lacks buffer_capacity, batch_count; it has timestamp_ns, ") == true
        )
        #expect(throws: HeaderError.self) {
            try RowReader(header: ImportMapping.telemetryLogHeader + ["batch_count"], mapping: mapping)
        }
    }

    @Test("a bad line is told by its column, what stands there and what was expected")
    func badLines() throws {
        let mapping = ImportMapping.telemetryLog(producer: "p", consumer: "c")
        let rows = try RowReader(header: ImportMapping.telemetryLogHeader, mapping: mapping)
        func problem(_ line: String) -> String? { withBytes(line) { rows.read($0)?.description } }
        #expect(problem("1,2,3") == "3 fields, expected 12 as in the header")
        #expect(
            problem("1,-2,3,4,5,6,7,8,9,10,11,12")
                == "column orders_produced is \"-2\", expected a whole number, 0 or more")
        #expect(
            problem("1,,3,4,5,6,7,8,9,10,11,12")
                == "column orders_produced is empty, expected a whole number, 0 or more")
        #expect(problem("1,2,3,4,5,6,fast,8,9,10,11,12")?.contains("column throughput_ops_per_sec is \"fast\"") == true)
        #expect(problem("soon,2,3,4,5,6,7,8,9,10,11,12")?.contains("expected a time in ns since 1970") == true)
        #expect(problem("1,2,3,4,5,6,,,,,11,12") == nil)
        // A buffer without capacity has no fill level.
        #expect(problem("1,2,3,4,5,0,7,8,9,10,11,12") == nil)
        #expect(!rows.values[3].isPresent)
    }

    @Test("a fall is a restart: the value counts from 0, as Prometheus' increase has it")
    func restarts() {
        var total = SourceTotal<UInt64>()
        let steps = [5, 5, 7, 2, 2, 0, 3].map { total.advance(to: $0) }
        #expect(steps.map(\.increase) == [5, 0, 2, 2, 0, 0, 3])
        #expect(steps.map(\.isRestart) == [false, false, false, true, false, true, false])
        var fractional = SourceTotal<Double>()
        #expect([0.5, 1.25, 0.25].map { fractional.advance(to: $0).increase } == [0.5, 0.75, 0.25])
    }

    @Test("only what a rotation names is taken for a rotated file")
    func rotationNames() {
        for name in [".1", ".12", "-20260131", ".2026-01-31", "-2026-01-31T12:00:00Z"] {
            #expect(RotatedFiles.isRotation(name.utf8))
        }
        for name in ["", "1", ".bak", ".1.gz", ".ringside-import", "-copy-1", "~", ".-"] {
            #expect(!RotatedFiles.isRotation(name.utf8))
        }
    }
}
