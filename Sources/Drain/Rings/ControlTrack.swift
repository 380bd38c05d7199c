internal import RingReader

/// What the operator's tool did to one ring's control words between two looks, so that windows say where something was
/// switched off.
///
/// A change of sampling alone is no such thing. Since words are looked at ten times a second only, one may have been disabled
/// and enabled again unseen: every change is counted beside the words, and where there were more changes than words that
/// differ, that is taken for it.
struct ControlTrack {
    private var words: [ControlWord] = []
    private var defaultWord: ControlWord?
    /// Changes that are accounted for by words that differed.
    private var accounted: UInt64 = 0

    /// What one look found.
    struct Finding {
        /// The metric is disabled now, or was at the last look.
        var disabled: [Int] = []
        /// A word was changed back and forth since the last look.
        var isUncertain = false
    }

    /// - Parameter count: Metrics to look at, never fewer than before.
    mutating func look(at segment: Segment, count: Int) -> Finding {
        var finding = Finding()
        // The count last: a word is counted once it is stored.
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
        if isFirst {
            // What was changed before nobody saw, nor when.
            accounted = changes
            finding.isUncertain = changes != 0
        }
        // A word that was seen before its change is counted leaves the account ahead of the count.
        let unexplained = Int64(bitPattern: changes &- accounted)
        guard unexplained > 0 else { return finding }
        accounted = changes
        finding.isUncertain = true
        return finding
    }

    private mutating func note(_ word: ControlWord) {
        if let defaultWord, defaultWord != word { accounted &+= 1 }
        defaultWord = word
    }
}
