internal import Drain
internal import RingReader

/// Seals the entries of a state file. Each carries a checksum over its name and bytes. The entry `state` holds their
/// number and the sum of their shares (``share(id:_:)``). They reveal a damaged page, and a page that reverted to older
/// contents. SQLite itself checks neither.
package enum StateFormat {
    static let version: UInt64 = 4
    static let headName = "state"
    /// The number of the entry `state`. The numbers of others begin at 2.
    static let headID: Int64 = 1

    static func checksum(name: String, _ value: [UInt8]) -> UInt32 {
        var checksum = Checksum()
        var name = name
        name.withUTF8 { checksum.update(UnsafeRawBufferPointer($0)) }
        value.withUnsafeBytes { checksum.update($0) }
        return checksum.value
    }

    /// Returns the value followed by its checksum.
    package static func sealed(name: String, _ value: [UInt8]) -> [UInt8] {
        let checksum = checksum(name: name, value)
        return value + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    }

    /// Returns the value without its checksum, which must match.
    package static func opened(name: String, _ sealed: [UInt8]) throws -> [UInt8] {
        let value = Array(sealed.dropLast(4))
        guard sealed.count >= 4, self.sealed(name: name, value) == sealed else {
            throw StateDamage("the checksum of the entry \(name.debugDescription) does not match")
        }
        return value
    }

    /// Returns an entry's share of the sum over all entries, which wraps.
    package static func share(id: Int64, _ sealed: [UInt8]) -> UInt64 {
        var word = UInt64(bitPattern: id) << 32
        for (index, byte) in sealed.suffix(4).enumerated() { word |= UInt64(byte) << (8 * UInt64(index)) }
        // This is the finalizer of SplitMix64, so that the sums of neighbours differ.
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    /// The entry `state`.
    package struct Head: Equatable {
        var wasClosed: Bool
        var unixNanoseconds: Int64
        var bootID: Segment.Identifier
        /// It is the last field, since earlier collectors neither wrote nor read it.
        var ruleMoment: RuleMoment?
        /// How many other entries there are, and the sum of their shares.
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
                throw StateDamage("it has format \(version); this collector reads \(StateFormat.version)")
            }
            wasClosed = try decoder.bool()
            unixNanoseconds = try decoder.signed()
            bootID = try decoder.identifier()
            count = try decoder.unsigned()
            sum = try decoder.unsigned()
            // Older collectors started the rules' clock from the wall clock and did not store it.
            ruleMoment =
                decoder.isAtEnd
                ? RuleMoment(ruleNanoseconds: unixNanoseconds, monotonicNanoseconds: nil)
                : RuleMoment(ruleNanoseconds: try decoder.signed(), monotonicNanoseconds: try decoder.signed())
        }
    }
}
