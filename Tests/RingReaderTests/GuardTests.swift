import CRingside
import Glibc
import TestSupport
import Testing

/// Tests the guard against truncation with more mappings than one of its tables holds.
@Suite struct GuardTests {
    private let directory = TemporaryRingDirectory()

    @Test(
        "more mappings than a table holds are guarded, each in a slot of its own, and slots that were given back are used again"
    )
    func many() throws {
        let path = "\(directory.path)/page"
        let bytes = Int(sysconf(Int32(_SC_PAGESIZE)))
        RingFile.make(path, [UInt8](repeating: 7, count: bytes))
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let count = Int(RINGSIDE_GUARDS_A_TABLE) + 500
        var mapped: [(base: UnsafeMutableRawPointer, slot: Int32)] = []
        for _ in 0..<count {
            let base = try #require(mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0))
            try #require(base != MAP_FAILED)
            mapped.append((base, ringside_guard_add(base, UInt64(bytes))))
        }
        #expect(mapped.allSatisfy { $0.slot >= 0 } && Set(mapped.map(\.slot)).count == count)
        #expect(ftruncate(descriptor, 0) == 0)
        for place in [0, count / 2, count - 1] {
            #expect(ringside_guard_was_hit(mapped[place].slot) == 0)
            #expect(mapped[place].base.load(as: UInt8.self) == 0)
            #expect(ringside_guard_was_hit(mapped[place].slot) != 0)
        }
        for mapping in mapped {
            ringside_guard_remove(mapping.slot)
            munmap(mapping.base, bytes)
        }
        let again = ringside_guard_add(mapped[0].base, UInt64(bytes))
        #expect(mapped.contains { $0.slot == again } && ringside_guard_was_hit(again) == 0)
        ringside_guard_remove(again)
    }
}
