/// A label of an instrument, as a type. Its values cannot be confused with those of another label, and the values of a
/// closed set cannot be misspelt.
public protocol LabelValue: Sendable {
    /// The label's name: letters, digits and `_`, 32 bytes at most.
    static var name: String { get }
    /// All allowed values. It is nil if the bot brings its own values, which must be few: an order id is a trace id.
    static var allowedValues: [String]? { get }
    /// The value as it is exported: 1 to 128 bytes of UTF-8.
    var text: String { get }
}

/// A label whose values the bot brings: symbols, venues, names of strategies.
public protocol OpenLabel: LabelValue, ExpressibleByStringLiteral {
    init(_ text: String)
}

extension OpenLabel {
    public static var allowedValues: [String]? { nil }
    public init(stringLiteral text: String) { self.init(text) }
}

/// A label whose values are all known: an enumeration of texts.
public protocol ClosedLabel: LabelValue, RawRepresentable, CaseIterable where RawValue == String {}

extension ClosedLabel {
    public static var allowedValues: [String]? { allCases.map(\.rawValue) }
    public var text: String { rawValue }
}
