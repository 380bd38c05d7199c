internal import RingReader

/// Detects changes of one ring's control words between two reads, so that windows show where something was disabled.
///
/// Changes of sampling alone do not matter. Words are read only ten times a second, so one may have been disabled and
/// enabled again unseen. The tool counts every change beside the words. If there were more changes than words that
/// differ, a word is assumed to have been disabled.
struct ControlTrack {
    private var words: [ControlWord] = []
    private var defaultWord: ControlWord?
    /// The number of changes that are explained by words that differed.
    private var accounted: UInt64 = 0
    /// The count of changes at the last read of all words, and whether a word was disabled then.
    private var lastChanges: UInt64?
    private var hasDisabled = false
    /// The words as they were at the last look at every word.
    private var image = ControlImage()

    /// The result of one read.
    struct Finding {
        /// Metrics that are disabled now, or were at the last read.
        var disabled: [Int] = []
        /// Whether a word was changed back and forth since the last read.
        var isUncertain = false
    }

    /// - Parameters:
    ///   - count: The number of metrics to read, never less than before.
    ///   - isThorough: Whether every word is read even if no change was counted. This finds a change whose tool ended
    ///     before it counted the change.
    mutating func look(at segment: Segment, count: Int, isThorough: Bool = true) -> Finding {
        if count == words.count, defaultWord == segment.defaultControlWord, lastChanges == segment.controlChanges,
            !isThorough || !image.update(segment, count: count)
        {
            return Finding(disabled: hasDisabled ? words.indices.filter { !words[$0].isEnabled } : [])
        }
        var finding = Finding()
        // The count is read last, because a word is counted after it is stored.
        _ = image.update(segment, count: count)
        let isFirst = defaultWord == nil
        note(segment.defaultControlWord)
        for id in 0..<count {
            let word = segment.controlWord(id)
            if id == words.count {
                words.append(word)
                if !word.isEnabled { finding.disabled.append(id) }
                continue
            }
            if !word.isEnabled || !words[id].isEnabled { finding.disabled.append(id) }
            guard word != words[id] else { continue }
            words[id] = word
            accounted &+= 1
        }
        let changes = segment.controlChanges
        lastChanges = changes
        hasDisabled = !words.allSatisfy(\.isEnabled)
        if isFirst {
            // Earlier changes, and their times, are unknown.
            accounted = changes
            finding.isUncertain = changes != 0
        }
        // A word that was read before its change is counted puts the account ahead of the count.
        let unexplained = Int64(bitPattern: changes &- accounted)
        guard unexplained > 0 else { return finding }
        accounted = changes
        finding.isUncertain = true
        return finding
    }

    /// Returns whether no change was counted since the last look, and no metric is disabled.
    func isQuiet(_ segment: Segment) -> Bool {
        !hasDisabled && lastChanges == segment.controlChanges && defaultWord == segment.defaultControlWord
    }

    private mutating func note(_ word: ControlWord) {
        if let defaultWord, defaultWord != word { accounted &+= 1 }
        defaultWord = word
    }
}
