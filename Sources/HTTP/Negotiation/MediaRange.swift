/// One element of an Accept header: a range of media types and its weight.
/// (RFC 9110, section 12.5.1)
struct MediaRange: Equatable {
    /// In lower case; `*` is any.
    let type: String
    let subtype: String
    /// In the order of the header. Names are in lower case, values without quotes. `q` is left out.
    let parameters: [(name: String, value: String)]
    /// Thousandths, 0 to 1000. 0 means not acceptable.
    let weight: Int

    static func == (a: MediaRange, b: MediaRange) -> Bool {
        (a.type, a.subtype, a.weight) == (b.type, b.subtype, b.weight)
            && a.parameters.elementsEqual(b.parameters, by: ==)
    }

    /// Parses a whole header and skips invalid elements, since the rest is still useful.
    static func list(_ header: String) -> [MediaRange] {
        WeightedElement.list(header).compactMap { element in
            let parts = element.name.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), parts[0] != "*" || parts[1] == "*" else {
                return nil
            }
            return MediaRange(
                type: String(parts[0]), subtype: String(parts[1]), parameters: element.parameters,
                weight: element.weight)
        }
    }

    func value(of parameter: String) -> String? { parameters.first { $0.name == parameter }?.value }
}

/// One element of a header with weights, such as `gzip;q=0.5`.
struct WeightedElement {
    /// In lower case.
    let name: String
    let parameters: [(name: String, value: String)]
    /// Thousandths.
    let weight: Int

    /// Parses a header. Elements with an invalid weight are left out.
    static func list(_ header: String) -> [WeightedElement] {
        split(header, at: ",").compactMap { WeightedElement($0) }
    }

    private init?(_ text: Substring) {
        let parts = Self.split(text, at: ";").map(\.trimmed)
        guard let name = parts.first, !name.isEmpty else { return nil }
        var (parameters, weight): ([(name: String, value: String)], Int) = ([], 1000)
        for part in parts.dropFirst() where !part.isEmpty {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            let (key, value) = (halves[0].lowercased(), halves.count > 1 ? halves[1].unquoted : "")
            guard key == "q" else {
                parameters.append((key, value))
                continue
            }
            guard let parsed = Self.weight(value) else { return nil }
            weight = parsed
        }
        self.name = name.lowercased()
        self.parameters = parameters
        self.weight = weight
    }

    /// Parses `0`, `0.125`, `1.000`: at most three digits after the point, and at most 1 (RFC 9110, section 12.4.2).
    /// Returns nil for anything else.
    private static func weight(_ text: String) -> Int? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ".") }
        guard let first = text.utf8.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"),
            digits.count <= 4, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text.utf8.count == 1 || text.utf8.dropFirst().first == UInt8(ascii: "."),
            text.utf8.count - digits.count <= 1
        else { return nil }
        let padded = digits + Array(repeating: UInt8(ascii: "0"), count: 4 - digits.count)
        let thousandths = padded.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return thousandths <= 1000 ? thousandths : nil
    }

    /// Splits at separators outside quotes.
    private static func split(_ text: some StringProtocol, at separator: Character) -> [Substring] {
        var (parts, isQuoted, isEscaped): ([Substring], Bool, Bool) = ([], false, false)
        let text = Substring(text)
        var start = text.startIndex
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted && character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == separator && !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return parts + [text[start...]]
    }
}

extension StringProtocol {
    /// The text without blanks and tabs on either side.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = Substring(self).drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}

extension String {
    /// The contents of a quoted string; any other text as it is.
    fileprivate var unquoted: String {
        guard count >= 2, first == "\"", last == "\"" else { return self }
        var (text, isEscaped) = ("", false)
        for character in dropFirst().dropLast() {
            if character == "\\" && !isEscaped {
                isEscaped = true
            } else {
                text.append(character)
                isEscaped = false
            }
        }
        return text
    }
}
