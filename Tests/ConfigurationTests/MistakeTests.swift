import FoundationEssentials
import TestSupport
import Testing

@testable import Configuration

/// One mistake in an otherwise good document.
private struct Mistake: CustomStringConvertible {
    enum Kind {
        /// Another text in place of the value.
        case value(String)
        /// Another name in place of the key.
        case key(String, isMisspelling: Bool)
        case twice
    }

    /// The path of the key or of the list's entry.
    var place: String
    var kind: Kind

    var description: String { "\(place): \(kind)" }
}

/// Writes a document with each key and each entry on a line of its own, and one mistake in it.
private struct MistakenDocument {
    private(set) var text = ""
    /// The line of the mistake.
    private(set) var line: Int?
    private(set) var path: String?
    private let mistake: Mistake?
    private var lines = 1

    init(_ root: Node, _ mistake: Mistake? = nil) {
        self.mistake = mistake
        write(root, "")
    }

    private mutating func write(_ node: Node, _ path: String) {
        if let mistake, mistake.place == path, case .value(let other) = mistake.kind {
            (line, self.path) = (lines, path)
            text += other
            return
        }
        switch node.content {
        case .object(let members): writeAll(members, "{", "}") { $0.write($1, in: path) }
        case .array(let elements):
            writeAll(Array(elements.enumerated()), "[", "]") { $0.write($1.element, "\(path)[\($1.offset)]") }
        case .text(let value): text += value.quoted
        case .number(let value): text += "\(value)"
        case .bool(let value): text += "\(value)"
        case .null, .unreadable: text += "null"
        }
    }

    private mutating func writeAll<Part>(
        _ parts: [Part], _ open: String, _ close: String, _ write: (inout MistakenDocument, Part) -> Void
    ) {
        text += open
        for part in parts {
            text += "\n"
            lines += 1
            write(&self, part)
            text += ","
        }
        text += close
    }

    private mutating func write(_ member: Node.Member, in parent: String) {
        let path = parent.isEmpty ? member.key : "\(parent).\(member.key)"
        var key = member.key
        if let mistake, mistake.place == path {
            switch mistake.kind {
            case .value: break
            case .key(let other, _):
                (line, self.path) = (lines, parent.isEmpty ? other : "\(parent).\(other)")
                key = other
            case .twice:
                text += "\(key.quoted): "
                write(member.value, path)
                text += ",\n"
                lines += 1
                (line, self.path) = (lines, path)
            }
        }
        text += "\(key.quoted): "
        write(member.value, path)
    }
}

extension String {
    fileprivate var quoted: String {
        let escaped = map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }

    /// Likely typing errors of a key.
    fileprivate var misspellings: Set<String> {
        let letters = Array(self)
        return Set([String(dropLast()), String([letters[1], letters[0]] + letters.dropFirst(2))])
            .subtracting([self])
    }

    /// A path without the indexes of lists.
    fileprivate var withoutPlaces: String {
        split(separator: "[").map { part in part.firstIndex(of: "]").map { part[$0...].dropFirst() } ?? part }.joined()
    }
}

extension Node {
    /// Returns every value with its path.
    fileprivate func places(_ path: String = "") -> [(path: String, node: Node)] {
        let inner: [(String, Node)] =
            switch content {
            case .object(let members): members.map { (path.isEmpty ? $0.key : "\(path).\($0.key)", $0.value) }
            case .array(let elements): elements.enumerated().map { ("\(path)[\($0)]", $1) }
            default: []
            }
        return [(path, self)] + inner.flatMap { $1.places($0) }
    }

    /// Values that a key with this value never takes.
    fileprivate var wrongValues: [String] {
        switch content {
        case .object: ["[]", "null", "oops"]
        case .array: ["{}", "true", "oops"]
        case .bool: ["'true'", "null", "yes"]
        default: ["{ a: 1 }", "true", "10s"]
        }
    }
}

@Suite("One mistake in a good file") struct MistakeTests {
    /// A file of one kind that is good and has every key at least once.
    struct Good: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var texts: [String]
        /// Objects whose keys the file chooses, and a key that none of them may have.
        var freeKeys: [String: String]
        var read: @Sendable ([UInt8]) throws(ConfigurationError) -> Void

        func problems(_ text: String) -> [ConfigurationError.Problem] {
            do throws(ConfigurationError) {
                try read(Array(text.utf8))
                return []
            } catch {
                return error.problems
            }
        }
    }

    private static let names = [
        "labels": "a b", "add_labels": "a b", "match_labels": "a b", "leave_labels": "a b", "headers": "a b",
        "basic_auth_users": "a:b",
    ]

    /// The annotated example of the documentation, and the keys that it leaves out.
    static let files = [
        Good(
            testDescription: "configuration", texts: [annotated, rest], freeKeys: names,
            read: { bytes throws(ConfigurationError) in _ = try CollectorConfiguration(bytes, file: "f") }),
        Good(
            testDescription: "web configuration", texts: [web], freeKeys: names,
            read: { bytes throws(ConfigurationError) in
                _ = try WebConfiguration(bytes, file: "f") { $0.hasPrefix("$") }
            }),
        Good(
            testDescription: "collector file", texts: collectors, freeKeys: names,
            read: { bytes throws(ConfigurationError) in _ = try CollectorFile(bytes, file: "f") }),
    ]

    /// Empty if the page has no such block. No test takes an empty text for good.
    private static let annotated: String = {
        let path = "\(#filePath)".split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try? Data(contentsOf: URL(filePath: "/\(path)/Sources/Collector/Collector.docc/Configuration.md"))
        let block = String(decoding: page ?? Data(), as: UTF8.self).split(separator: "```json5\n").dropFirst().first
        return block?.split(separator: "\n```").first.map(String.init) ?? ""
    }()

    private static let rest = """
        {
          windows: ["2m", "1h"], quantiles: [0.5, 0.9],
          native_histograms: { schema: 3, max_buckets: 100 },
          metrics: [{ match: "x", buckets: ["1ms", 5] }, { match: "y", max_series: 3 },
            { match: "z", keep: true }, { match: "v", rename: "w", scale: 5 }],
          objectives: [
            { name: "o", availability: false, instrument: "x_seconds", threshold: 3, target: 0.9, for: "1m",
              resolve_after: "5m", coverage: 0.25 },
          ],
          alerts: [
            { name: "a", severity: "P1", instrument: "x", statistic: "p90", window: "2m", threshold: 1, resolve_after: "5m",
              coverage: 0.1 },
            { name: "b", severity: "P1", instrument: "x", statistic: "value", divided_by: "y", threshold: 1,
              labels: { venue: "X" } },
            { name: "c", severity: "P1", instrument: "x", stale_for: "5m" },
            { name: "d", severity: "P1", instrument: "x", statistic: "absent", for: "5m" },
          ],
          alertmanagers: [
            { name: "am", url: "http://am", objectives: false, generator_url: "http://x", bearer_token: "t", headers: { "X-A": "b" }, ca_file: "/c",
              connect_timeout: "1s", timeout: "2s", retry_max: "3s", queue: { max_bytes: 5000, max_age: "1h" } },
            { url: "http://am", basic_auth: { user: "u", password_file: "/p" } },
            { url: "http://cm", basic_auth: { user: "u", password: "p" } }, { url: "http://bm", bearer_token_file: "/t" },
          ],
          webhooks: [
            { url: "http://w", content_type: "text/plain", body: "{{alert}} is {{status}}", alerts: ["a"], bots: ["b"],
              bearer_token: "t", headers: { "X-A": "b" }, ca_file: "/c",
              connect_timeout: "1s", timeout: "2s", retry_max: "3s", queue: { max_bytes: 5000, max_age: "1h" } },
            { name: "w", url: "http://w", basic_auth: { user: "u", password: "p" } },
            { url: "http://u", basic_auth: { user: "u", password_file: "/p" } },
            { url: "http://v", bearer_token_file: "/t" },
          ],
          exports: {
            influxdb: [
              { name: "i", url: "http://i", org: "o", bucket: "b", token: "t", headers: { "X-A": "b" }, ca_file: "/c",
                connect_timeout: "1s", timeout: "2s" },
              { url: "http://i", org: "o", bucket: "b", token_file: "/t" },
              { url: "http://j", database: "d", retention_policy: "p", basic_auth: { user: "u", password: "p" },
                match_labels: { a: "b" }, leave_labels: { c: "d" } },
              { url: "http://k", database: "d", bearer_token: "t" },
              { url: "http://m", database: "d", basic_auth: { user: "u", password_file: "/p" } },
              { url: "http://l", database: "d", bearer_token_file: "/t" },
            ],
            otlp: [
              { name: "o", url: "http://o", send: ["traces"], headers: { "X-A": "b" }, ca_file: "/c", connect_timeout: "1s",
                timeout: "2s", retry_max: "3s", queue: { max_bytes: 5000, max_age: "1h" }, bearer_token: "t", interval: "1s",
                gzip: false, enabled: true, metrics: "*", leave_metrics: "x", bots: "*", leave_bots: "y", collector: true,
                labels: { a: "b" } },
              { url: "http://o", basic_auth: { user: "u", password: "p" } },
              { url: "http://p", basic_auth: { user: "u", password_file: "/p" } }, { url: "http://q", bearer_token_file: "/t" },
            ],
            remote_write: [
              { name: "r", url: "http://r", histograms: "both", headers: { "X-A": "b" }, ca_file: "/c", connect_timeout: "1s",
                timeout: "2s", retry_max: "3s", queue: { max_bytes: 5000, max_age: "1h" }, bearer_token: "t", interval: "1s",
                enabled: true, metrics: "*", leave_metrics: "x", bots: "*", leave_bots: "y", collector: true,
                labels: { a: "b" }, match_labels: { a: "b" }, leave_labels: { c: "d" } },
              { url: "http://r", basic_auth: { user: "u", password: "p" } },
              { url: "http://t", basic_auth: { user: "u", password_file: "/p" } },
              { url: "http://s", bearer_token_file: "/t" },
            ],
          },
        }
        """

    private static let web = """
        {
          tls_server_config: { cert_file: "server.crt", key_file: "/etc/key" },
          basic_auth_users: { ann: "$y$1", bob: "$2b$2" },
          bearer_tokens: ["0123456789abcdef"], bearer_token_file: "tokens",
          auth_excluded_paths: ["/-/healthy"], allowed_hosts: ["trader.example", "a.b"],
          limits: { connections: 9, connections_per_address: 8, header_bytes: 4096, event_streams: 5,
                    request_timeout: "2s", keep_alive: "1m", answer_timeout: "10s", requests_per_second: 0.5, burst: 3 },
        }
        """

    private static let collectors = [
        "{ url: 'http://c', basic_auth: { user: 'u', password: 'p' }, ca_file: '/c' }",
        "{ url: 'http://c', basic_auth: { user: 'u', password_file: '/p' } }", "{ url: 'http://c', bearer_token: 't' }",
        "{ url: 'http://c', bearer_token_file: '/t' }",
    ]

    private func root(_ text: String) throws -> Node {
        var scanner = Scanner(Array(text.utf8))
        return try scanner.document()
    }

    private func mistakes(_ file: Good, _ root: Node) -> [Mistake] {
        root.places().dropFirst().flatMap { path, node -> [Mistake] in
            let values = node.wrongValues.map { Mistake(place: path, kind: .value($0)) }
            if path.hasSuffix("]") { return values }
            let names = path.split(separator: ".")
            let other = names.count > 1 ? file.freeKeys[String(names[names.count - 2])] : nil
            let keys =
                other.map { [Mistake.Kind.key($0, isMisspelling: false)] }
                ?? String(names[names.count - 1]).misspellings.map { .key($0, isMisspelling: true) }
            return values + (keys + [.twice]).map { Mistake(place: path, kind: $0) }
        }
    }

    @Test(
        "is one problem, in its line and at its path, whatever the key and whatever is wrong with it", arguments: files)
    func one(file: Good) throws {
        for text in file.texts {
            let root = try root(text)
            #expect(file.problems(MistakenDocument(root).text) == [])
            for mistake in mistakes(file, root).ordinarily(oneOf: 5) {
                let document = MistakenDocument(root, mistake)
                let found = file.problems(document.text)
                guard found.count == 1, found[0].line == document.line, found[0].key == document.path else {
                    Issue.record("\(mistake): \(found.map { "\($0.line ?? 0): \($0.key): \($0.message)" })")
                    continue
                }
                if case .key(_, isMisspelling: true) = mistake.kind {
                    let key = mistake.place.split(separator: ".").last ?? ""
                    #expect(found[0].message.contains("; did you mean `\(key)`? "), "\(mistake): \(found[0].message)")
                }
            }
        }
    }

    @Test("is looked for in every key that is known", arguments: files)
    func all(file: Good) throws {
        var (known, written) = ([String: Set<String>](), [String: Set<String>]())
        for text in file.texts {
            let root = try root(text)
            for (path, node) in root.places() {
                guard case .object(let members) = node.content,
                    file.freeKeys[path.split(separator: ".").last.map(String.init) ?? ""] == nil
                else { continue }
                written[path.withoutPlaces, default: []].formUnion(members.map(\.key))
                let stranger = Node.Member(key: "zzzzzz", line: 1, value: Node(line: 1, content: .null))
                let other = root.replacing(path, Node(line: 1, content: .object(members + [stranger])))
                let message = try #require(file.problems(MistakenDocument(other).text).first?.message)
                let keys = message.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                known[path.withoutPlaces, default: []].formUnion(
                    keys.filter { $0.offset % 2 == 1 }.map { "\($0.element)" })
            }
        }
        #expect(known.count >= 2)
        for (path, keys) in known { #expect(keys.subtracting(written[path] ?? []) == [], "\(path)") }
    }
}

extension Node {
    /// Returns the same document with another value at a path.
    fileprivate func replacing(_ place: String, _ other: Node, at path: String = "") -> Node {
        if path == place { return other }
        switch content {
        case .object(let members):
            let changed = members.map { member in
                let value = member.value.replacing(
                    place, other, at: path.isEmpty ? member.key : "\(path).\(member.key)")
                return Node.Member(key: member.key, line: member.line, value: value)
            }
            return Node(line: line, content: .object(changed))
        case .array(let elements):
            let changed = elements.enumerated().map { $1.replacing(place, other, at: "\(path)[\($0)]") }
            return Node(line: line, content: .array(changed))
        default: return self
        }
    }
}
