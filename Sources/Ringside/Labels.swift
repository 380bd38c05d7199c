internal import CRingside
internal import Glibc

/// Names and values that tell the series of one metric apart, or one bot from another.
///
/// At most 16; a name has at most 32 bytes of letters, digits and `_`, a value 1 to 128 bytes of UTF-8. They are
/// checked at registration. A label must have few values: an order id is a trace id, never a label.
public struct Labels: Sendable, ExpressibleByDictionaryLiteral {
    let pairs: [(name: String, value: String)]

    public init(dictionaryLiteral elements: (String, String)...) {
        pairs = elements.map { (name: $0.0, value: $0.1) }
    }

    public init(_ pairs: some Sequence<(String, String)>) {
        self.pairs = pairs.map { (name: $0.0, value: $0.1) }
    }

    public init(_ dictionary: [String: String]) {
        pairs = dictionary.map { (name: $0.key, value: $0.value) }
    }

    func adding(_ name: String, _ value: String) -> Labels {
        Labels(pairs.map { ($0.name, $0.value) } + [(name, value)])
    }

    /// Lends the labels to C for the length of the call.
    func withCLabels<Result>(_ body: (UnsafeBufferPointer<ringside_label>) -> Result) -> Result {
        let lent = pairs.map { pair in
            ringside_label(name: withCText(pair.name) { strdup($0) }, value: withCText(pair.value) { strdup($0) })
        }
        defer {
            for label in lent {
                free(UnsafeMutablePointer(mutating: label.name))
                free(UnsafeMutablePointer(mutating: label.value))
            }
        }
        return lent.withUnsafeBufferPointer(body)
    }
}
