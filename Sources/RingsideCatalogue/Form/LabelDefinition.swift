/// A label without its type: its name and its allowed values.
public struct LabelDefinition: Sendable, Equatable {
    public let name: String
    /// nil: any.
    public let allowedValues: [String]?
}
