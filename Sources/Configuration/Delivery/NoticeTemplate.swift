internal import Spelling

/// A text in which `{{names}}` are replaced by values.
package struct NoticeTemplate: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        case text(String)
        case field(Field)
    }

    /// The fields of an alert that a template can use.
    package enum Field: String, CaseIterable, Sendable {
        /// An identifier that is the same each time an alert's beginning is sent, and different for its end.
        case id
        /// `firing` or `resolved`.
        case status
        case alert
        case severity
        case bot
        case condition
        /// A number, or null.
        case value
        /// An object with the labels of the series that fired.
        case labels
        case summary
        case description
        case runbook
        /// RFC 3339, UTC.
        case startsAt
        /// A time like `startsAt`; empty while the alert fires.
        case endsAt
        /// A whole number of seconds since the Unix epoch.
        case startsAtUnix
        /// The time since which there is no data to evaluate the alert, in the form of `startsAt`; empty if there is
        /// data.
        case unknownSince
        /// The reason why the alert ended; empty while it fires.
        case reason
        case url
    }

    /// The reason why a text is not a template.
    package struct Problem: Error, Equatable, Sendable {
        package var message: String
    }

    package let parts: [Part]

    package init(_ text: String) throws(Problem) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstRange(of: "{{") {
            if open.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<open.lowerBound]))) }
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                throw Problem(message: "a name that begins with {{ has no }} at its end; add it")
            }
            let name = rest[..<close.lowerBound].trimmed
            guard let field = Field(rawValue: name) else {
                let names = Field.allCases.map(\.rawValue)
                let near = name.nearest(among: names).map { "did you mean {{\($0)}}? The" } ?? "the"
                throw Problem(
                    message: "{{\(name)}} is not a known name; \(near) names known here are \(names.listed("and"))")
            }
            parts.append(.field(field))
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// Returns the text with each field replaced by its value.
    package func filled(_ value: (Field) -> String) -> String {
        parts.reduce(into: "") { text, part in
            switch part {
            case .text(let more): text += more
            case .field(let field): text += value(field)
            }
        }
    }
}

extension Substring {
    /// Returns the first occurrence of a text; nil if there is none.
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }

    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
