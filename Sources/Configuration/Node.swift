/// One value of a JSON5 document, and the line that it begins in.
package struct Node {
    let line: Int
    let content: Content

    enum Content {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case array([Node])
        case object([Member])
    }

    struct Member {
        let key: String
        let line: Int
        let value: Node
    }

    /// What it is, for a message.
    var kind: String {
        switch content {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
        case .text(let value): "\"\(value.contains("://") ? WebAddress.withoutUser(value) : value)\""
        case .array: "a list"
        case .object: "an object"
        }
    }
}
