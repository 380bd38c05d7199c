/// One value of a JSON5 document, and the line where it begins.
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
        /// An invalid word, which the scanner has reported.
        case unreadable
    }

    struct Member {
        let key: String
        let line: Int
        let value: Node
    }

    /// Describes the value for a message.
    var kind: String {
        switch content {
        case .bool(let value): "\(value)"
        case .number(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
        case .text(let value): "\"\(value.contains("://") ? WebAddress.withoutUser(value) : value)\""
        default: form
        }
    }

    /// Describes the value's type, without anything that may be secret.
    var form: String {
        switch content {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .array: "a list"
        case .object: "an object"
        case .unreadable: "a word"
        }
    }
}

extension Node.Content {
    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }
}
