/// How a verb writes its data.
enum OutputFormat: String, CaseIterable, Sendable {
    case text
    case json
}
