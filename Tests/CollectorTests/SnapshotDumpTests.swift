import Platform
import Series
import TestSupport
import Testing

@testable import Collector

@Suite("JSON dumps whose clock is set") struct SnapshotDumpTests {
    @Test(
        "the one just written stays, and those that were written longest ago go",
        arguments: [365 * 86_400, -365 * 86_400] as [Int64])
    func prune(step: Int64) {
        let folder = TemporaryRingDirectory(under: "/tmp")
        let dump = SnapshotDump(
            folder: folder.path, keptCount: 4, quantiles: [], logger: Logger(level: .error))
        var written: [String] = []
        var known: Set<String> = []
        func write(_ seconds: Int64) {
            dump.write(emptySnapshot(unixNanoseconds: seconds * 1_000_000_000))
            let new = Set(folder.entries()).subtracting(known)
            #expect(new.count == 1 && dump.status.failure == nil)
            written += new
            known.formUnion(new)
            #expect(folder.entries().sorted() == written.suffix(4).sorted())
        }
        for second in 0..<6 { write(1_700_000_000 + Int64(second)) }
        for second in 6..<12 { write(1_700_000_000 + step + Int64(second)) }
        for second in 12..<20 { write(1_700_000_000 + Int64(second)) }
    }
}
