/// A text with `{{names}}` in it that are replaced by what they stand for.
package struct NoticeTemplate: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        case text(String)
        case field(Field)
    }

    /// What a template can say of an alert.
    package enum Field: String, CaseIterable, Sendable {
        /// The same for an alert's beginning however often it is sent, and another for its end.
        case id
        /// `firing` or `resolved`.
        case status
        case alert
        case severity
        case bot
        case condition
        /// A number, or null.
        case value
        /// An object of the labels of the series that the value is of.
        case labels
        case summary
        case description
        case runbook
        /// RFC 3339, UTC.
        case startsAt
        /// As `startsAt`; empty while it fires.
        case endsAt
        /// A whole number of seconds since the Unix epoch.
        case startsAtUnix
        case url
    }

    /// Why a text is no template.
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
            guard let close = rest.firstRange(of: "}}") else { throw Problem(message: "has {{ without }}") }
            let name = rest[..<close.lowerBound].trimmed
            guard let field = Field(rawValue: name) else {
                let known = Field.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(message: "has {{\(name)}}, which stands for nothing; expected one of \(known)")
            }
            parts.append(.field(field))
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The text with each field's value in its place.
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
    /// The first place of a text; nil where there is none.
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
