internal import CMalloc

/// Large blocks of memory, such as a page that is being written for a scrape.
package enum LargeBlocks {
    /// A block of at least this size is mapped by itself.
    private static let mappedBytes: Int32 = 128 << 10

    /// Makes freed large blocks go back to the system at once (mallopt(3), M_MMAP_THRESHOLD). Call it once, at the start
    /// of a program that runs for long.
    ///
    /// Otherwise glibc raises the size with each large block that is freed, up to 32 MiB: pages of scrapes then lie in
    /// the heap between series that live for long, and the holes that they leave stay in memory. Cost: a system call and
    /// a page fault for each 4 KiB of a large block.
    package static func returnWhenFreed() { mallopt(M_MMAP_THRESHOLD, mappedBytes) }
}
