extension String {
    /// The text with every character escaped that controls a terminal instead of being shown. A ring's bytes are
    /// untrusted. An escape sequence in a label must not change the colours, the title or the contents of an operator's
    /// screen.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isObeyed) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isObeyed {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text in quotes, in the form of a label's value, with `"` and `\` escaped.
    package var quoted: String {
        // The text is escaped by scalar, because a quote followed by a combining mark is still a quote.
        let escaped = unicodeScalars.reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : "\($1)" }
        return "\"\(escaped.printable)\""
    }
}

extension Unicode.Scalar {
    fileprivate var isObeyed: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
