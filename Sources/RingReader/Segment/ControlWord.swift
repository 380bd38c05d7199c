internal import CRingside

/// An operator's setting for one metric: enabled or not, and 1-in-N. The two are independent, because a disabled metric
/// keeps its N.
package struct ControlWord: Equatable, Sendable {
    package let isEnabled: Bool
    /// N of 1-in-N, 1 to 65,535; 1 writes every record.
    package let samplingN: UInt32

    package init(isEnabled: Bool, samplingN: UInt32) {
        self.isEnabled = isEnabled
        self.samplingN = min(max(1, samplingN), RINGSIDE_CONTROL_N_MASK)
    }

    package init(_ word: UInt32) {
        self.init(isEnabled: word & RINGSIDE_CONTROL_ENABLED != 0, samplingN: word & RINGSIDE_CONTROL_N_MASK)
    }

    /// The word as a ring stores it.
    package var word: UInt32 { (isEnabled ? RINGSIDE_CONTROL_ENABLED : 0) | samplingN }
}

/// A change that an operator asks for; nil leaves a setting as it is.
package struct ControlChange: Equatable, Sendable {
    package var isEnabled: Bool?
    /// N of 1-in-N, 1 to 65,535.
    package var samplingN: UInt32?

    package init(isEnabled: Bool? = nil, samplingN: UInt32? = nil) {
        self.isEnabled = isEnabled
        self.samplingN = samplingN
    }

    package var isNothing: Bool { isEnabled == nil && samplingN == nil }

    package func applied(to word: ControlWord) -> ControlWord {
        ControlWord(isEnabled: isEnabled ?? word.isEnabled, samplingN: samplingN ?? word.samplingN)
    }
}
