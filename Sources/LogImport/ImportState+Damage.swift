internal import FoundationEssentials
internal import RingReader

extension ImportState {
    /// The bytes of the file.
    var encoded: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return Array(try encoder.encode(self))
        }
    }

    /// The checksum of every value that affects counting. Blanks and the order of keys do not change it.
    var computedChecksum: UInt32 {
        get throws {
            var state = self
            (state.checksum, state.ring.isClosed) = (nil, false)
            var checksum = Checksum()
            try state.encoded.withUnsafeBytes { checksum.update($0) }
            return checksum.value
        }
    }

    /// The damage of the state; nil if there is none. A file that was changed after it was written would count rows
    /// twice, or not at all.
    var damage: String? {
        get throws {
            let limit = UInt64(1) << 62
            if !(0...FileIdentity.longestCheckedBytes).contains(place.file.checkedBytes) {
                return "checkedBytes is \(place.file.checkedBytes), expected 0 to \(FileIdentity.longestCheckedBytes)"
            }
            if place.offset > limit { return "offset is \(place.offset), which no file reaches" }
            if place.lineNumber > place.offset {
                return "lineNumber is \(place.lineNumber), which is more than there are bytes"
            }
            if ring.attachesBegun > UInt64(UInt32.max) || ring.life > limit {
                return "the ring's lives are \(ring.life) and \(ring.attachesBegun), which no ring has had"
            }
            guard let checksum else { return nil }
            return checksum == (try computedChecksum) ? nil : "its checksum does not match its content"
        }
    }
}
