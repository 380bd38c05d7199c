internal import Glibc

/// Splits the bytes of a stream socket into frames of a fixed size. One read takes the bytes that are there, often many
/// frames and a part of another.
struct FrameReader: ~Copyable {
    private let frameByteCount: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    init(frameByteCount: Int, capacityFrames: Int = 1024) {
        self.frameByteCount = frameByteCount
        buffer = .allocate(byteCount: frameByteCount * capacityFrames, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Reads once from the socket.
    ///
    /// - Returns: False if the other end has closed or the connection has failed; true if nothing is there yet.
    mutating func fill(from descriptor: Int32) -> Bool {
        if start > 0 {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
            (start, end) = (0, end - start)
        }
        let count = recv(descriptor, buffer.baseAddress! + end, buffer.count - end, Int32(MSG_DONTWAIT))
        if count > 0 { end += count }
        return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    }

    /// Decodes the next whole frame. Invalid frames are skipped.
    mutating func next<Frame>(_ decode: (UnsafeRawBufferPointer) -> Frame?) -> Frame? {
        while end - start >= frameByteCount {
            let frame = UnsafeRawBufferPointer(rebasing: buffer[start..<start + frameByteCount])
            start += frameByteCount
            if let decoded = decode(frame) { return decoded }
        }
        return nil
    }

    mutating func removeAll() { (start, end) = (0, 0) }
}
