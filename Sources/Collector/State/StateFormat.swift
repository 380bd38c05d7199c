internal import Drain
internal import RingReader

/// How entries of a state file are sealed: each by a checksum over its name and its bytes, and all together by the sum of
/// those, kept in the entry `state`. So a page that was damaged, and one that went back to what it was earlier, are noticed,
/// which SQLite itself does not do.
package enum StateFormat {
    static let version: UInt64 = 4
    static let headName = "state"
    /// Of the entry `state`; others are numbered from 2.
    static let headID: Int64 = 1

    static func checksum(name: String, _ value: [UInt8]) -> UInt32 {
        var checksum = Checksum()
        var name = name
        name.withUTF8 { checksum.update(UnsafeRawBufferPointer($0)) }
        value.withUnsafeBytes { checksum.update($0) }
        return checksum.value
    }

    /// The value with its checksum behind it.
    package static func sealed(name: String, _ value: [UInt8]) -> [UInt8] {
        let checksum = checksum(name: name, value)
        return value + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    }

    /// The value before its checksum.
    package static func opened(name: String, _ sealed: [UInt8]) throws -> [UInt8] {
        let value = Array(sealed.dropLast(4))
        guard sealed.count >= 4, self.sealed(name: name, value) == sealed else {
            throw StateDamage("the checksum of the entry \(name.debugDescription) does not fit")
        }
        return value
    }

    /// What all entries together come to: the sum of this over them, wrapping.
    package static func share(id: Int64, _ sealed: [UInt8]) -> UInt64 {
        var word = UInt64(bitPattern: id) << 32
        for (place, byte) in sealed.suffix(4).enumerated() { word |= UInt64(byte) << (8 * UInt64(place)) }
        // The finalizer of SplitMix64, so that the sums of neighbours differ.
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    /// The entry `state`.
    package struct Head: Equatable {
        var wasClosed: Bool
        var unixNanoseconds: Int64
        var bootID: Segment.Identifier
        /// Comes last, since a collector of before it neither wrote nor reads it.
        var ruleMoment: RuleMoment?
        /// The other entries: how many there are, and the sum of their shares.
        package var count: UInt64
        package var sum: UInt64

        package var bytes: [UInt8] {
            var encoder = StateEncoder()
            encoder.write(version)
            encoder.write(wasClosed)
            encoder.write(unixNanoseconds)
            encoder.write(bootID)
            encoder.write(count)
            encoder.write(sum)
            if let ruleMoment, let monotonic = ruleMoment.monotonicNanoseconds {
                encoder.write(ruleMoment.ruleNanoseconds)
                encoder.write(monotonic)
            }
            return encoder.bytes
        }

        init(
            wasClosed: Bool, unixNanoseconds: Int64, bootID: Segment.Identifier, ruleMoment: RuleMoment?, count: UInt64,
            sum: UInt64
        ) {
            self.ruleMoment = ruleMoment
            self.wasClosed = wasClosed
            self.unixNanoseconds = unixNanoseconds
            self.bootID = bootID
            self.count = count
            self.sum = sum
        }

        package init(_ bytes: [UInt8]) throws {
            var decoder = StateDecoder(bytes)
            let version = try decoder.unsigned()
            guard version == StateFormat.version else {
                throw StateDamage("it is of format \(version), and this collector knows \(StateFormat.version)")
            }
            wasClosed = try decoder.bool()
            unixNanoseconds = try decoder.signed()
            bootID = try decoder.identifier()
            count = try decoder.unsigned()
            sum = try decoder.unsigned()
            // An older collector began the rules' clock with the wall clock and did not write it down.
            ruleMoment =
                decoder.isAtEnd
                ? RuleMoment(ruleNanoseconds: unixNanoseconds, monotonicNanoseconds: nil)
                : RuleMoment(ruleNanoseconds: try decoder.signed(), monotonicNanoseconds: try decoder.signed())
        }
    }
}
