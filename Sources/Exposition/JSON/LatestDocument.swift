internal import Glibc
internal import JSON

/// The body of `/latest`, and the places of its parts in it. Two documents are compared part by part, and the parts
/// that differ make a change from one to the other.
package struct LatestDocument: Sendable {
    /// One JSON document in one line.
    package let bytes: [UInt8]
    let members: [Part]
    let bots: [Bot]

    /// A member of an object: its key, and the place of its value.
    struct Part: Sendable {
        let key: String
        let place: Range<Int>
    }

    struct Bot: Sendable {
        let name: String
        let parts: [Part]
        /// The places of all its metrics together, and of each of them.
        let metrics: Range<Int>
        let eachMetric: [Range<Int>]
    }

    /// Returns the JSON object that describes the differences from an earlier document.
    ///
    /// Each member replaces the earlier value. `bots` has the bots that changed: `bot` names one, and each other member
    /// replaces the member of that bot. `metrics` replaces all metrics if it is an array. If it is an object, its keys
    /// are indexes into the array of metrics, and its values replace the metrics there.
    ///
    /// - Returns: Nil if the two do not list the same bots in the same order. Then only a whole document is correct.
    package func change(from old: LatestDocument) -> [UInt8]? {
        guard bots.count == old.bots.count, zip(bots, old.bots).allSatisfy({ $0.name == $1.name }) else { return nil }
        return bytes.withUnsafeBytes { new in
            old.bytes.withUnsafeBytes { before in
                let comparison = Comparison(new: new, old: before)
                var json = JSONWriter(capacity: 64 * 1024)
                json.object { json in
                    json.replace(members, old.members, comparison)
                    let changed = zip(bots, old.bots).filter { !$0.0.isSame(as: $0.1, comparison) }
                    guard !changed.isEmpty else { return }
                    json.key("bots")
                    json.array { json in for (bot, before) in changed { json.bot(bot, before, comparison) } }
                }
                return json.bytes
            }
        }
    }
}

/// The bytes of two documents.
private struct Comparison {
    let new: UnsafeRawBufferPointer
    let old: UnsafeRawBufferPointer

    func areSame(_ place: Range<Int>, _ oldPlace: Range<Int>) -> Bool {
        guard place.count == oldPlace.count, let new = new.baseAddress, let old = old.baseAddress else { return false }
        return memcmp(new + place.lowerBound, old + oldPlace.lowerBound, place.count) == 0
    }

    func areSame(_ parts: [LatestDocument.Part], _ oldParts: [LatestDocument.Part]) -> Bool {
        zip(parts, oldParts).allSatisfy { areSame($0.place, $1.place) }
    }

    func text(_ place: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: new[place]) }
}

extension LatestDocument.Bot {
    fileprivate func isSame(as old: LatestDocument.Bot, _ comparison: Comparison) -> Bool {
        comparison.areSame(metrics, old.metrics) && comparison.areSame(parts, old.parts)
    }
}

extension JSONWriter {
    fileprivate mutating func replace(
        _ parts: [LatestDocument.Part], _ old: [LatestDocument.Part], _ comparison: Comparison
    ) {
        for (part, before) in zip(parts, old) where !comparison.areSame(part.place, before.place) {
            key(part.key)
            written(comparison.text(part.place))
        }
    }

    fileprivate mutating func bot(
        _ bot: LatestDocument.Bot, _ old: LatestDocument.Bot, _ comparison: Comparison
    ) {
        object { json in
            json.key("bot")
            json.string(bot.name)
            json.replace(bot.parts, old.parts, comparison)
            guard !comparison.areSame(bot.metrics, old.metrics) else { return }
            json.key("metrics")
            guard bot.eachMetric.count == old.eachMetric.count else {
                return json.written(comparison.text(bot.metrics))
            }
            json.object { json in
                for (index, place) in bot.eachMetric.enumerated()
                where !comparison.areSame(place, old.eachMetric[index]) {
                    json.key("\(index)")
                    json.written(comparison.text(place))
                }
            }
        }
    }

    /// Writes a value with `body`, and returns its place in ``bytes``.
    mutating func place(_ body: (inout JSONWriter) -> Void) -> Range<Int> {
        let begin = bytes.count
        body(&self)
        let hasComma = begin < bytes.count && bytes[begin] == UInt8(ascii: ",")
        return (hasComma ? begin + 1 : begin)..<bytes.count
    }
}
