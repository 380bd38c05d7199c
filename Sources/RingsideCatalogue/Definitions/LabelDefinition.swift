/// A label without its type: its name and its allowed values.
public struct LabelDefinition: Sendable, Equatable {
    public let name: String
    /// The allowed values; nil if any value is allowed.
    public let allowedValues: [String]?
}
