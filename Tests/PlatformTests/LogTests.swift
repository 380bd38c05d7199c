import FoundationEssentials
import Glibc
import Testing

@testable import Platform

@Suite struct LogTests {
    private func line(_ format: LogFormat, _ message: String, _ fields: [Logger.Field] = []) -> String {
        let time = timespec(tv_sec: 1_735_787_045, tv_nsec: 67_999_999)
        let line = LogLine(time: time, level: .warn, message: message, fields: fields)
        return String(decoding: line.bytes(format), as: UTF8.self)
    }

    @Test("logfmt has the time with milliseconds, the level, the message and the fields")
    func logfmt() {
        let fields: [Logger.Field] = [
            ("ring", "alpha.md"), ("lost", .integer(-3)), ("age", .number(0.5)), ("up", .bool(true)),
        ]
        #expect(
            line(.logfmt, "records lost", fields)
                == "time=2025-01-02T03:04:05.067Z level=warn msg=\"records lost\" ring=alpha.md lost=-3 age=0.5 up=true\n"
        )
    }

    @Test(
        "what could be taken for something else is quoted and escaped",
        arguments: [
            ("", "\"\""), ("a", "a"), ("a b", "\"a b\""), ("a=b", "\"a=b\""), ("\"", "\"\\\"\""), ("\\", "\"\\\\\""),
            ("a\nb", "\"a\\nb\""), ("\r\n", "\"\\r\\n\""), ("\t", "\"\\t\""), ("\u{1B}[31m", "\"\\u001b[31m\""),
            ("\u{7F}\u{9B}", "\"\\u007f\\u009b\""), ("\u{0}", "\"\\u0000\""), ("é日本", "é日本"),
        ])
    func escaping(text: String, expected: String) {
        #expect(line(.logfmt, "m", [("f", .text(text))]).hasSuffix(" f=\(expected)\n"))
    }

    @Test("a line of JSON reads back as it was, whatever stands in it")
    func json() throws {
        struct Line: Decodable {
            let time, level, msg, text: String
            let count: Int64
            let ratio: Double?
            let up: Bool
        }
        for text in ["", "a\"b\\c\nd\u{0}\u{1F}\u{7F}é", "{}", "\r\n"] {
            let written = line(
                .json, text,
                [("text", .text(text)), ("count", .integer(.min)), ("ratio", .number(.nan)), ("up", .bool(false))])
            #expect(written.utf8.dropLast().allSatisfy { $0 >= 0x20 } && written.utf8.last == 0x0A)
            let line = try JSONDecoder().decode(Line.self, from: Data(written.utf8))
            #expect(line.time == "2025-01-02T03:04:05.067Z" && line.level == "warn")
            #expect(line.msg == text && line.text == text && line.count == .min && line.ratio == nil && !line.up)
        }
    }

    @Test("lines below the level are not written and their fields are not made")
    func levels() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let logger = Logger(level: .warn, descriptor: ends[1])
        var made = 0
        func field() -> [Logger.Field] {
            made += 1
            return [("n", .integer(Int64(made)))]
        }
        logger.debug("a", field())
        logger.info("b", field())
        logger.warn("c", field())
        logger.error("d", field())
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &bytes, bytes.count)
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        #expect(made == 2)
        #expect(
            lines.map { String($0.split(separator: " ", maxSplits: 1)[1]) } == [
                "level=warn msg=c n=1", "level=error msg=d n=2",
            ])
    }

    @Test(
        "a time is written in UTC, also before the epoch's first day and at a leap day",
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000Z"), (951_782_400, 1_000_000, "2000-02-29T00:00:00.001Z"),
            (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999Z"),
        ])
    func times(seconds: Int, nanoseconds: Int, expected: String) {
        #expect(rfc3339(timespec(tv_sec: seconds, tv_nsec: nanoseconds)) == expected)
    }
}
