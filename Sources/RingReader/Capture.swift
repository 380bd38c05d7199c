internal import CRingside
internal import Glibc

/// A capture: a ring at one moment, with the clocks that date its records. It is checked as a whole when it is opened.
///
/// Not `Sendable`, like the ``Segment`` that it returns.
package struct Capture {
    package let path: String
    package let envelope: CaptureEnvelope
    private let file: MappedFile

    /// Opens a capture and checks magic, version, length and checksum. Reads all of it: 1 ms a megabyte.
    ///
    /// - Throws: ``CaptureError``; each case is one failed check.
    package init(path: String) throws(CaptureError) {
        let file: MappedFile
        do throws(RingError) { file = try MappedFile(path: path) } catch { throw .file(error) }
        let bytes = UnsafeRawBufferPointer(start: file.base, count: file.bytes)
        try Self.checkFrame(bytes, path)
        guard let envelope = CaptureEnvelope(bytes) else { throw .envelope(path: path) }
        self.path = path
        self.file = file
        self.envelope = envelope
    }

    /// Returns whether a file begins like a capture. Checks nothing else; returns false also if the file cannot be
    /// read.
    package static func begins(_ path: String) -> Bool {
        let descriptor = ringside_open_for_reading(path)
        defer { if descriptor >= 0 { close(descriptor) } }
        var magic = [UInt8](repeating: 0, count: CaptureEnvelope.magic.utf8.count)
        return pread(descriptor, &magic, magic.count, 0) == magic.count
            && magic.elementsEqual(CaptureEnvelope.magic.utf8)
    }

    /// Returns the captured ring. Its mapping lives as long as the segment does.
    ///
    /// - Parameter isSalvaging: The same as for ``Segment/init(name:path:isSalvaging:)``.
    /// - Throws: ``RingError`` if the ring had been damaged before it was captured.
    package func segment(isSalvaging: Bool = false) throws(RingError) -> Segment {
        try Segment(
            name: envelope.ringName, file: file, at: envelope.imageOffset, bytes: envelope.imageBytes,
            capture: envelope,
            isSalvaging: isSalvaging)
    }

    private static func checkFrame(_ bytes: UnsafeRawBufferPointer, _ path: String) throws(CaptureError) {
        guard bytes.prefix(8).elementsEqual(CaptureEnvelope.magic.utf8) else { throw .notACapture(path: path) }
        guard bytes.count >= CaptureEnvelope.fieldBytes else { throw .tooShort(path: path, bytes: bytes.count) }
        let version = UInt32(littleEndian: bytes.load(fromByteOffset: 8, as: UInt32.self))
        guard version == CaptureEnvelope.version else {
            throw .otherVersion(path: path, found: version, expected: CaptureEnvelope.version)
        }
        let length = UInt64(littleEndian: bytes.load(fromByteOffset: 16, as: UInt64.self))
        guard length == bytes.count else { throw .length(path: path, found: bytes.count, expected: length) }
        let expected = UInt32(littleEndian: bytes.load(fromByteOffset: 12, as: UInt32.self))
        var checksum = Checksum()
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[CaptureEnvelope.checksummedFrom...]))
        guard checksum.value == expected else {
            throw .checksum(path: path, found: checksum.value, expected: expected)
        }
    }
}

/// The reason why a capture cannot be read. The cases are in the order of the checks, from the path to a valid
/// envelope.
package enum CaptureError: Error, Sendable, Equatable, CustomStringConvertible {
    case file(RingError)
    case notACapture(path: String)
    case tooShort(path: String, bytes: Int)
    case otherVersion(path: String, found: UInt32, expected: UInt32)
    case length(path: String, found: Int, expected: UInt64)
    case checksum(path: String, found: UInt32, expected: UInt32)
    case envelope(path: String)

    package var description: String {
        switch self {
        case .file(let error): error.description
        case .notACapture(let path):
            "\(path) is not a capture: its first bytes are not \(CaptureEnvelope.magic); 'ringside capture' makes captures"
        case .tooShort(let path, let bytes): "\(path) has \(bytes) bytes, less than a capture's envelope; copy it again"
        case .otherVersion(let path, let found, let expected):
            "\(path) is of capture version \(found), this program reads \(expected); use the ringside that made it"
        case .length(let path, let found, let expected):
            "\(path) has \(found) bytes, its envelope says \(expected): it is cut or damaged; copy it again"
        case .checksum(let path, let found, let expected):
            "\(path) is damaged: its checksum is \(hexadecimal(found)), expected \(hexadecimal(expected)); copy it again"
        case .envelope(let path):
            "\(path) makes no sense though its checksum is right: its image, records, state, clock or names are impossible"
        }
    }
}

private func hexadecimal(_ word: UInt32) -> String {
    let digits = String(word, radix: 16)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
}
