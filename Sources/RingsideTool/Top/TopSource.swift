internal import Platform
internal import RingReader

/// The source of the figures of `ringside top`: a collector, or the rings themselves where none answers.
///
/// The rings stand in for this machine's collector until it answers. Once a collector has answered, its last figures are
/// shown while it does not, because those of the rings begin anew.
///
/// Thread rule: one thread at a time.
final class TopSource {
    private let client: CollectorClient
    private let bots: [String]
    private let directory: RingDirectory
    private var mayReadRings: Bool
    private var rings: RingSource?

    /// - Parameters:
    ///   - bots: The bots of `--bot`; empty for all.
    ///   - mayReadRings: Whether the rings may stand in for the collector.
    init(_ client: CollectorClient, bots: [String], directory: RingDirectory, mayReadRings: Bool) {
        (self.client, self.bots, self.directory, self.mayReadRings) = (client, bots, directory, mayReadRings)
    }

    /// The collector's address, or the directory of the rings.
    var place: String { rings.map(\.directory.path) ?? client.address }

    /// What must be known of the figures; nil if they are a collector's.
    var remark: String? {
        rings.map {
            "no collector answers at \(client.address); these figures are of the records in the rings, read since "
                + Figures.clock(unixSeconds: $0.began)
        }
    }

    /// Asks for the figures of now.
    ///
    /// - Throws: ``CollectorError``, or the system's refusal to read the rings.
    func latest() throws -> CollectorView {
        do throws(CollectorError) {
            let view = try client.latest()
            mayReadRings = false
            rings?.stop()
            rings = nil
            return view
        } catch {
            guard error.isUnanswered, mayReadRings else { throw error }
            return try ringFigures(orElse: error)
        }
    }

    private func ringFigures(orElse error: CollectorError) throws -> CollectorView {
        if let rings { return try rings.latest() }
        // A directory without a ring is a collector's absence, and nothing to show.
        guard let names = try? directory.ringNames(), !names.isEmpty else {
            throw CollectorError(
                description: "\(error.problem), and there is no ring in \(directory.path) to read instead",
                remedy: CollectorError.startOne)
        }
        let rings = try RingSource(bots, in: directory)
        self.rings = rings
        return try rings.latest()
    }
}
