extension String {
    /// Returns the candidate that this text most likely misspells; nil if none is near.
    ///
    /// A candidate is near if at most two letters, and fewer than half of them, are inserted, removed, replaced or
    /// swapped.
    package func nearest(among candidates: [String]) -> String? {
        let ranked = candidates.map { (name: $0, distance: distance(to: $0)) }
            .filter { $0.distance <= 2 && $0.distance * 2 < max(utf8.count, $0.name.utf8.count) }
        return ranked.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// Returns the edit distance in bytes; swapping two neighbours counts once.
    private func distance(to other: String) -> Int {
        let (a, b) = (Array(utf8), Array(other.utf8))
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var rows = [Array(0...b.count)]
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var best = Swift.min(
                    rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = Swift.min(best, rows[i - 2][j - 2] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
