/// A key of `/latest`.
struct CollectorKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<CollectorKey> {
    /// Reads a number. For a number that JSON cannot express, the member is null, and `NAME_text` beside it has its
    /// name.
    func number(_ name: String) throws -> Double? {
        if let value = try decodeIfPresent(Double.self, forKey: CollectorKey(name)) { return value }
        switch try decodeIfPresent(String.self, forKey: CollectorKey(name + "_text")) {
        case "+Inf": return .infinity
        case "-Inf": return -.infinity
        case "NaN": return .nan
        default: return nil
        }
    }

    func value<Value: Decodable>(_ name: String) throws -> Value { try decode(Value.self, forKey: CollectorKey(name)) }

    func optional<Value: Decodable>(_ name: String) throws -> Value? {
        try decodeIfPresent(Value.self, forKey: CollectorKey(name))
    }
}
