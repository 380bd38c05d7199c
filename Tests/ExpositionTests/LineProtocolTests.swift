import Series
import Testing

@testable import Exposition

/// A line, read back strictly by the protocol's reference.
struct Line {
    var measurement = ""
    var tags: [(name: String, value: String)] = []
    var fields: [String: Substring] = [:]
    var time: Int64 = 0

    init?(_ text: Substring) {
        var rest = text
        guard let measurement = Self.word(&rest, until: [",", " "]) else { return nil }
        self.measurement = measurement
        while rest.first == "," {
            rest.removeFirst()
            guard let name = Self.word(&rest, until: ["="]), rest.popFirst() == "=",
                let value = Self.word(&rest, until: [",", " "])
            else { return nil }
            tags.append((name, value))
        }
        let parts = rest.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, let time = Int64(parts[2]) else { return nil }
        self.time = time
        for field in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            let pair = field.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, Self.isValue(pair[1]) else { return nil }
            guard fields.updateValue(pair[1], forKey: String(pair[0])) == nil else { return nil }
        }
    }

    /// Reads a word that is not empty. A backslash makes the special character after it an ordinary one.
    private static func word(_ rest: inout Substring, until ends: Set<Character>) -> String? {
        var word = ""
        while let character = rest.first, !ends.contains(character) {
            rest.removeFirst()
            if character == "\\", let next = rest.first, ",= ".contains(next) {
                word.append(next)
                rest.removeFirst()
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? nil : word
    }

    private static func isValue(_ text: Substring) -> Bool {
        if text.last == "i" { return Int64(text.dropLast()) != nil }
        return text == "true" || text == "false" || Double(text)?.isFinite == true
    }
}

private func lines(_ snapshot: Snapshot, labels: [Label] = [], sendsCollector: Bool = false) -> [Substring] {
    LineProtocol.batches(snapshot, labels: labels, process: nil, sendsCollector: sendsCollector)
        .flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
}

@Suite struct LineProtocolTests {
    @Test("each kind has its fields, integers have an i, tags their order, and the time is in nanoseconds")
    func kinds() {
        let metrics = [
            counter("a_total", .unsigned(7), labels: [Label("venue", "X")]),
            gauge("g", .real(1.5), highest: .real(2), lane: "md"),
            histogram(
                "x_seconds", total: summary(count: 9, sum: 0.5), windows: [summary(count: 2, sum: 1), emptySummary]),
        ]
        let text = lines(
            snapshot([bot("b", metrics, labels: [Label("desk", "eq")])]),
            labels: [Label("host", "h"), Label("bot", "no")])
        #expect(
            text == [
                "a_total,bot=b,desk=eq,host=h,venue=X value=7i 1700000000000000000",
                "g,bot=b,desk=eq,host=h,lane=md value=1.5,max=2.0 1700000000000000000",
                "x_seconds,bot=b,desk=eq,host=h count=9i,sum=0.5,min=1.0,max=3.0,p50=2.0,p95=2.9,p99=2.98,p999=2.998,calls=10i,"
                    + "failed=3i,abandoned=2i 1700000000000000000",
                "x_window_seconds,bot=b,desk=eq,host=h,window=1s count=2i,sum=1.0,min=1.0,max=3.0,p50=2.0,p95=2.9,p99=2.98,p999=2.998,"
                    + "rate=2.5,lost=7i,complete=false 1700000000000000000",
            ])
    }

    @Test(
        "NaN and infinities leave no field, lines without fields are left out, and integers beyond 2^63 - 1 are floats")
    func noNumbers() {
        let metrics = [
            gauge("n", .real(.nan)), gauge("i", .real(.infinity), highest: .real(1)),
            counter("big_total", .unsigned(.max)),
            histogram("empty_seconds"),
        ]
        #expect(
            lines(snapshot([bot("b", metrics)])) == [
                "i,bot=b max=1.0 1700000000000000000",
                "big_total,bot=b value=1.8446744073709552e+19 1700000000000000000",
                "empty_seconds,bot=b count=0i,sum=0.0,calls=1i,failed=3i,abandoned=2i 1700000000000000000",
            ])
    }

    @Test("blanks, commas, equal signs, line ends and backslashes in tags are escaped, and empty tags are left out")
    func escapes() {
        let labels = [
            Label("a", "x y,z=1"), Label("b", ""), Label("c", "line\nend"), Label("d", "back\\\\"), Label("e", "\\"),
        ]
        #expect(
            lines(snapshot([bot("b", [gauge("g", .signed(-1), labels: labels)])])) == [
                #"g,a=x\ y\,z\=1,bot=b,c=line\ end,d=back value=-1i,max=-1i 1700000000000000000"#
            ])
    }

    @Test("whatever bots call their metrics, each line can be read", arguments: 0..<200)
    func hostile(seed: Int) throws {
        let text = lines(hostileSnapshot(seed: UInt64(seed)), labels: [Label("host", "h")], sendsCollector: true)
        #expect(!text.isEmpty)
        for line in text {
            let read = try #require(Line(line), "\(line)")
            #expect(Set(read.tags.map(\.name)).count == read.tags.count && read.tags.contains { $0 == ("host", "h") })
            #expect(read.tags.map(\.name) == read.tags.map(\.name).sorted() && !read.fields.isEmpty)
        }
    }

    @Test("batches have as many lines as they may, each whole")
    func batches() {
        let metrics = (0..<25).map { gauge("g\($0)", .unsigned(1)) }
        let batches = LineProtocol.batches(
            snapshot([bot("b", metrics)]), labels: [], process: nil, sendsCollector: false, batchLines: 10)
        #expect(batches.map { $0.split(separator: UInt8(ascii: "\n")).count } == [10, 10, 5])
        #expect(batches.allSatisfy { $0.last == UInt8(ascii: "\n") })
        #expect(LineProtocol.batches(snapshot([]), labels: [], process: nil, sendsCollector: false).isEmpty)
    }
}
