extension String {
    /// The text with everything escaped that a terminal would obey instead of show: a ring's bytes are anybody's, and an
    /// escape sequence in a label must not recolour, retitle or rewrite an operator's screen.
    var printable: String {
        guard unicodeScalars.contains(where: \.isObeyed) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isObeyed {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// As a label's value is written: in quotes, with `"` and `\` escaped.
    var quoted: String {
        // By scalar: a quote with a combining mark behind it is a quote still.
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
