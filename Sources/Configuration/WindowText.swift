package import Series

extension WindowSpan {
    /// Parses a window as the file names it.
    ///
    /// A window slides by a tenth of its length, or by a sixtieth from a minute on: `1s` by 100 ms, `5s` by 500 ms,
    /// `1m` by 1 s.
    ///
    /// - Parameter text: Whole seconds below a minute, whole minutes from there to an hour. Anything else returns nil.
    package init?(_ text: String) {
        guard let length = DurationText.nanoseconds(text), length >= 1_000_000_000, length <= 3_600_000_000_000 else {
            return nil
        }
        let isLong = length >= 60_000_000_000
        guard length % (isLong ? 60_000_000_000 : 1_000_000_000) == 0 else { return nil }
        self.init(name: text, lengthNanoseconds: length, sliceNanoseconds: length / (isLong ? 60 : 10))
    }
}
