internal import CRingside

/// What the operator asks of one metric: enabled or not, and 1-in-N.
package struct ControlWord: Equatable, Sendable {
    package let isEnabled: Bool
    /// N of 1-in-N; 1 writes every record.
    package let samplingN: UInt32

    package init(_ word: UInt32) {
        isEnabled = word & (1 << 16) != 0
        samplingN = max(1, word & 0xffff)
    }
}
