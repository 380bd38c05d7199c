internal import CRingside

/// A copy of the first cells of a ring. The next look compares it with the cells and finds whether any has changed.
///
/// Memory: 16 bytes a cell. Cost: one pass over cells that lie side by side.
package struct CellImage {
    private var words: [(first: UInt64, second: UInt64)] = []

    package init() {}

    /// The words of a cell at the last look.
    package subscript(index: Int) -> (first: UInt64, second: UInt64) { words[index] }

    /// Looks at the first `count` cells, which is at most ``Segment/metricCount``.
    ///
    /// - Returns: Whether one of them has changed since the last look, or was not looked at before.
    package mutating func update(_ segment: Segment, count: Int) -> Bool {
        var hasChanged = words.count != count
        if words.count > count { words.removeLast(words.count - count) }
        while words.count < count { words.append((0, 0)) }
        words.withUnsafeMutableBufferPointer { words in
            segment.forEachCell(count) { index, first, second in
                if words[index].first == first && words[index].second == second { return }
                words[index] = (first, second)
                hasChanged = true
            }
        }
        return hasChanged
    }
}

/// A copy of the control words of a ring's first metrics. The next look compares it with the words and finds whether
/// any has changed.
package struct ControlImage {
    private var words: [UInt32] = []

    package init() {}

    /// Looks at the first `count` words, which is at most ``Segment/metricCount``.
    ///
    /// - Returns: Whether one of them has changed since the last look, or was not looked at before.
    package mutating func update(_ segment: Segment, count: Int) -> Bool {
        var hasChanged = words.count != count
        if words.count > count { words.removeLast(words.count - count) }
        while words.count < count { words.append(0) }
        words.withUnsafeMutableBufferPointer { words in
            segment.forEachControlWord(count) { index, word in
                if words[index] == word { return }
                words[index] = word
                hasChanged = true
            }
        }
        return hasChanged
    }
}
