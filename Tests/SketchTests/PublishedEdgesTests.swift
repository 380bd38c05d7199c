import TestSupport
import Testing

@testable import Sketch

/// Compares the bucket edges with published ones.
@Suite struct PublishedEdgesTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    @Test("all 128 edges of an octave are 2^(i/128) to the last bit, and those that Prometheus' Go client publishes")
    func edges() throws {
        let child = try ChildProcess([
            "/usr/bin/python3", "\(Self.repository)/tools/python/bucket_edges.py",
            "\(Self.repository)/.build/published/histogram.go",
        ])
        #expect(
            try child.wait() == .code(0), "tools/setup --tests brings the published boundaries: \(child.standardError)")
        let rows = child.lines.map { $0.split(separator: " ").compactMap { Double($0) } }
        #expect(rows.count == BucketIndexer.bucketsPerOctave && rows.allSatisfy { $0.count == 2 })
        for (index, row) in rows.enumerated() where row.count == 2 {
            // Their octave begins at a half.
            let edge = BucketEdges.upperEdge(ofBucket: index - BucketIndexer.bucketsPerOctave)
            #expect(edge == row[0], "\(index)")
            // Their edges were multiplied together in doubles, and are up to four units in the last place too small.
            #expect(row[1] <= edge && edge - row[1] <= 4 * edge.ulp, "\(index): \(row[1])")
            // A value that both call an edge is in the bucket below it, and the next value is in the one above.
            #expect(BucketIndexer.shared.index(of: edge.nextDown) == index - BucketIndexer.bucketsPerOctave, "\(index)")
            #expect(
                BucketIndexer.shared.index(of: edge.nextUp) == index - BucketIndexer.bucketsPerOctave + 1, "\(index)")
        }
    }
}
