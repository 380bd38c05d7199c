/// Texts as their bytes.
///
/// `==` takes two texts for one where Unicode calls them equivalent, such as an é of one scalar and an é of two. A ring, and
/// every receiver of an export, tells them apart by their bytes: so does whatever has a name or a label as a key here.
extension String {
    /// Whether both have the same bytes.
    package func hasSameBytes(as other: String) -> Bool {
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.count == b.count && a.elementsEqual(b) } }
    }

    /// Whether the bytes of this one come first.
    package func precedesInBytes(_ other: String) -> Bool {
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.lexicographicallyPrecedes(b) } }
    }

    /// Adds the bytes, and where they end.
    package func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No text of UTF-8 has this byte.
        hasher.combine(0xFF as UInt8)
    }
}

/// A text as a key.
package struct ByteText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: ByteText, b: ByteText) -> Bool { a.text.hasSameBytes(as: b.text) }

    package static func < (a: ByteText, b: ByteText) -> Bool { a.text.precedesInBytes(b.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
