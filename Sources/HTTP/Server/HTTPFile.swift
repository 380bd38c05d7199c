internal import CGnuTLS
internal import Exposition

/// A file of a web page, with a strong entity tag by which browsers ask whether it has changed.
/// (RFC 9110, sections 8.8.3 and 13.1.2)
package final class HTTPFile: Sendable {
    private struct Representation: Sendable {
        let tag: String
        let reply: HTTPReply
        let unchanged: HTTPReply
    }

    private let mediaType: String
    private let plain: Representation
    private let compressed: Representation?
    /// The representations of a path that also answers with JSON.
    private let chosenPlain: Representation
    private let chosenCompressed: Representation?

    /// - Parameters:
    ///   - mediaType: Without parameters, such as `text/css`. The file is UTF-8.
    ///   - headers: Further headers.
    package init(mediaType: String, bytes: [UInt8], headers: [(name: String, value: String)] = []) {
        self.mediaType = mediaType
        let tag = Self.tag(bytes)
        let gzip = bytes.count < Self.smallestCompressed ? nil : Gzip.compress(bytes)
        func representation(_ body: [UInt8], _ tag: String, _ more: [(name: String, value: String)]) -> Representation {
            var response = HTTPResponse(contentType: "\(mediaType); charset=utf-8", body: body)
            // A browser may keep it, and asks each time whether it is still the same.
            response.cacheControl = "no-cache"
            response.headers = [("ETag", "\"\(tag)\"")] + headers + more
            var unchanged = response
            (unchanged.status, unchanged.body) = (304, [])
            unchanged.headers.removeAll { $0.name == "Content-Encoding" }
            return Representation(tag: tag, reply: HTTPReply(response), unchanged: HTTPReply(unchanged))
        }
        func both(_ vary: String) -> (Representation, Representation?) {
            let coding = [(name: "Vary", value: vary), (name: "Content-Encoding", value: "gzip")]
            return (
                representation(bytes, tag, [("Vary", vary)]), gzip.map { representation($0, "\(tag)-gzip", coding) }
            )
        }
        (plain, compressed) = both("Accept-Encoding")
        (chosenPlain, chosenCompressed) = both("Accept, Accept-Encoding")
    }

    /// Returns whether a client names the file's type and prefers it to JSON. A client that accepts anything does not.
    func isPreferred(by preferences: RequestPreferences) -> Bool {
        let ranges = MediaRange.list(preferences.accept)
        let isNamed = ranges.contains { "\($0.type)/\($0.subtype)" == mediaType }
        return isNamed && Self.weight(mediaType, ranges) > Self.weight("application/json", ranges)
    }

    /// Returns the weight of the most specific range that contains a type.
    private static func weight(_ mediaType: String, _ ranges: [MediaRange]) -> Int {
        let type = mediaType.prefix { $0 != "/" }
        for name in [mediaType, "\(type)/*", "*/*"] {
            if let range = ranges.first(where: { "\($0.type)/\($0.subtype)" == name }) { return range.weight }
        }
        return 0
    }

    /// Returns the file, or 304 if the client has it.
    ///
    /// - Parameter isChosen: Whether the path has another answer for other clients.
    func reply(to preferences: RequestPreferences, isChosen: Bool) -> HTTPReply {
        let (plain, compressed) = isChosen ? (chosenPlain, chosenCompressed) : (self.plain, self.compressed)
        let isCompressed = ContentCoding(acceptEncoding: preferences.acceptEncoding) == .gzip
        let representation = isCompressed ? compressed ?? plain : plain
        return Self.isNamed(representation.tag, in: preferences.ifNoneMatch)
            ? representation.unchanged : representation.reply
    }

    /// Returns whether an If-None-Match names a tag. The comparison is weak, as the RFC requires for this header.
    private static func isNamed(_ tag: String, in header: String) -> Bool {
        header.split(separator: ",").contains { element in
            let text = element.filter { $0 != " " && $0 != "\t" }
            return text == "*" || text == "\"\(tag)\"" || text == "W/\"\(tag)\""
        }
    }

    private static func tag(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        let isMade = bytes.withUnsafeBytes { ringside_sha256($0.baseAddress, $0.count, &digest) }
        precondition(isMade != 0, "GnuTLS has no SHA-256")
        return digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// In bytes. A smaller answer fits into one packet anyway.
    private static let smallestCompressed = 1024
}
