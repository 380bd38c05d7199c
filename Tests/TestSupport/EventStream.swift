import FoundationEssentials

/// Any JSON.
package enum JSONValue: Decodable, Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    package init(_ bytes: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    }

    package subscript(key: String) -> JSONValue? {
        get { if case .object(let members) = self { members[key] } else { nil } }
        set {
            guard case .object(var members) = self else { return }
            members[key] = newValue
            self = .object(members)
        }
    }

    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}

extension JSONValue {
    /// Applies an event `change` of `/events` to a body of `/latest`.
    package mutating func apply(change: JSONValue) {
        for (key, value) in change.members where key != "bots" { self[key] = value }
        var bots = self["bots"]?.elements ?? []
        for changed in change["bots"]?.elements ?? [] {
            guard let index = bots.firstIndex(where: { $0["bot"] == changed["bot"] }) else { continue }
            for (key, value) in changed.members where key != "bot" {
                guard key == "metrics", case .object(let replaced) = value else {
                    bots[index][key] = value
                    continue
                }
                var metrics = bots[index]["metrics"]?.elements ?? []
                for (place, metric) in replaced { if let place = Int(place) { metrics[place] = metric } }
                bots[index]["metrics"] = .array(metrics)
            }
        }
        self["bots"] = .array(bots)
    }
}

/// One event of a stream.
package struct StreamEvent: Sendable {
    package var id: String?
    package var name = ""
    package var data = ""

    fileprivate init?(_ block: [UInt8]) {
        for line in String(decoding: block, as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            switch line[..<colon] {
            case "id": id = value
            case "event": name = value
            case "data": data = value
            default: break
            }
        }
        if name.isEmpty { return nil }
    }
}

/// Reads the events of an answer in chunks, as its bytes come.
package struct EventReader: Sendable {
    /// The status line and headers, once they are there.
    package private(set) var head: String?
    private var received: [UInt8] = []
    private var body: [UInt8] = []
    /// Whether the last chunk has come.
    package private(set) var isEnded = false

    package init() {}

    /// Returns the events that are whole by now.
    package mutating func take(_ bytes: some Sequence<UInt8>) -> [StreamEvent] {
        received += bytes
        if head == nil {
            guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
            head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
            received.removeSubrange(..<end.upperBound)
        }
        while let line = received.firstRange(of: Array("\r\n".utf8)),
            let count = Int(String(decoding: received[..<line.lowerBound], as: UTF8.self), radix: 16),
            received.count >= line.upperBound + count + 2
        {
            body += received[line.upperBound..<line.upperBound + count]
            received.removeSubrange(..<(line.upperBound + count + 2))
            if count == 0 { isEnded = true }
        }
        var events: [StreamEvent] = []
        while let end = body.firstRange(of: Array("\n\n".utf8)) {
            if let event = StreamEvent(Array(body[..<end.lowerBound])) { events.append(event) }
            body.removeSubrange(..<end.upperBound)
        }
        return events
    }
}
