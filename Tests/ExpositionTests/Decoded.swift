import FoundationEssentials
import TestSupport

/// Bodies as independent decoders read them.
enum Decoded {
    static func otlpMetrics(_ bodies: [[UInt8]]) throws -> [OTLPPoint] { try decode("otlp-metrics", bodies) }
    static func otlpTraces(_ bodies: [[UInt8]]) throws -> [OTLPSpan] { try decode("otlp-traces", bodies) }
    /// - Parameter bodies: The compressed bodies.
    static func remoteWrite(_ bodies: [[UInt8]]) throws -> [RemoteSeries] { try decode("remote-write", bodies) }

    private static func decode<Element: Decodable>(_ form: String, _ bodies: [[UInt8]]) throws -> [Element] {
        let folder = TemporaryRingDirectory(under: "/tmp")
        try Data(framed(bodies)).write(to: URL(filePath: "\(folder.path)/bodies"))
        return try Python.run(script, [form, "\(folder.path)/bodies"])
    }

    static let script = "\(packageFolder)/Tests/ExpositionTests/Python/decode.py"

    /// Returns the pieces, each with its length before it, in eight bytes.
    static func framed(_ pieces: [[UInt8]]) -> [UInt8] {
        pieces.flatMap { piece in withUnsafeBytes(of: UInt64(piece.count).littleEndian) { Array($0) } + piece }
    }
}

struct OTLPPoint: Decodable {
    let resource: [String: String]
    let scope, name, help, unit, form: String
    let attributes: [String: String]
    let start, time: UInt64
    let monotonic: Bool
    let temporality: Int
    let flags: Int
    let whole: Bool?
    let value: String?
    let count: UInt64?
    let sum, minimum, maximum: Double?
    let scale: Int?
    let zeros: UInt64?
    let positive, negative: Buckets?
    let quantiles: [[Double]]?
    let exemplars: [Exemplar]?

    struct Exemplar: Decodable, Equatable {
        let traceID: String
        let value: Double
        let time: UInt64
    }

    struct Buckets: Decodable {
        let offset: Int
        let counts: [UInt64]
    }
}

struct OTLPSpan: Decodable {
    let resource: [String: String]
    let traceID, spanID, parent, name: String
    let flags: UInt32
    let kind, status: Int
    let start, end: UInt64
    let attributes: [String: String]
}

struct RemoteSeries: Decodable {
    let labels: [[String]]
    let samples: [Sample]
    let histograms: [Histogram]

    struct Sample: Decodable {
        let bits: UInt64
        let time: Int64
        var value: Double { Double(bitPattern: bits) }
    }

    struct Histogram: Decodable {
        let whole: Bool
        let count, zeros, sumBits: UInt64
        let schema: Int
        let zeroThreshold: Double
        let negativeSpans, positiveSpans: [[Int]]
        let negativeDeltas, positiveDeltas: [Int64]
        let negativeCounts, positiveCounts: [Double]
        let time: Int64
        var sum: Double { Double(bitPattern: sumBits) }
    }

    var name: String? { labels.first { $0[0] == "__name__" }?[1] }

    func has(_ wanted: [String: String]) -> Bool { wanted.allSatisfy { labels.contains([$0.key, $0.value]) } }
}
