/// Comparison of texts by their bytes.
///
/// `==` treats texts as equal if Unicode calls them equivalent, such as an é of one scalar and an é of two. A ring, and
/// every receiver of an export, compares bytes. So keys that contain a name or a label compare bytes here.
extension String {
    /// Returns whether both have the same bytes.
    package func hasSameBytes(as other: String) -> Bool {
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.count == b.count && a.elementsEqual(b) } }
    }

    /// Returns whether the bytes of this text sort before those of another one.
    package func precedesInBytes(_ other: String) -> Bool {
        var (a, b) = (self, other)
        return a.withUTF8 { a in b.withUTF8 { b in a.lexicographicallyPrecedes(b) } }
    }

    /// Adds the bytes and an end mark to a hash.
    package func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No UTF-8 text contains this byte.
        hasher.combine(0xFF as UInt8)
    }
}

/// A text as a key that is compared by its bytes.
package struct ByteText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: ByteText, b: ByteText) -> Bool { a.text.hasSameBytes(as: b.text) }

    package static func < (a: ByteText, b: ByteText) -> Bool { a.text.precedesInBytes(b.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
