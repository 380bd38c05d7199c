extension [UInt8] {
    /// Appends an upper edge in the form that Prometheus itself writes: `0.5`, `4.0`, from a million on `1e+06`. All
    /// pages that are scraped and remote write use this form, so that a series has the same name in each of them.
    ///
    /// - Precondition: The number is finite.
    mutating func append(edge value: Double) {
        guard value.magnitude >= 1e6 else { return append(finite: value) }
        // `description` gives the shortest digits, in either notation.
        let text = value.magnitude.description
        let parts = text.split(separator: "e")
        let digits = parts[0].filter { $0 != "." }
        let point = parts[0].prefix { $0 != "." }.count
        let exponent = (parts.count > 1 ? Int(parts[1])! : 0) + point - 1
        var significant = Substring(digits)
        while significant.count > 1, significant.last == "0" { significant.removeLast() }
        if value < 0 { append(UInt8(ascii: "-")) }
        append(String(significant.prefix(1)))
        if significant.count > 1 { append("." + significant.dropFirst()) }
        append("e+")
        if exponent < 10 { append(UInt8(ascii: "0")) }
        append(decimal: exponent)
    }
}
