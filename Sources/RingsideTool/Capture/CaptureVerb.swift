internal import Arguments
internal import Glibc
internal import Platform
internal import RingReader

struct CaptureOptions: Sendable {
    var ring = RingOperand.file("")
    var output: String?
    var ringDirectory: String?
}

/// `ringside capture`: copies a ring with the clocks that date its records, for another machine or a later day.
enum CaptureVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside capture",
        summary: "Copies a ring, with its clocks and a checksum, for another machine or a later day.",
        details: """
            A capture is the ring as it is at that moment, taken without disturbing its bot, with the machine's \
            clocks, so that its times are right wherever and whenever it is opened. Records that the bot overwrites \
            while the capture is taken are left out, the oldest first; no record in it is torn.
            'ringside dump FILE' and 'ringside tail FILE' open it. The file is written whole or not at all. It \
            replaces a file of that name, but never a ring. A summary goes to standard error.
            Without --ring-dir the directory is RINGSIDE_DIR of the environment, else /dev/shm.
            """,
        defaults: CaptureOptions(),
        options: [
            .value(
                "output", letter: "o", "FILE", \.output, .file,
                help: "Where the capture goes; - is standard output (default NAME.capture in this folder)"),
            .value("ring-dir", "DIR", \.ringDirectory, .folder, help: "Where the ring lies"),
        ],
        operands: [
            .one(
                "NAME|FILE", \.ring, RingOperand.reader,
                help: "A ring such as alpha or alpha.md, or a ring's file: a path with a /")
        ],
        examples: [
            Example("Keep what a bot did until now", "ringside capture alpha -o incident.capture"),
            Example(
                "To another machine, without a file here",
                "ringside capture alpha -o - | ssh desk 'cat > alpha.capture'"),
            Example("Its last records there", "ringside dump alpha.capture"),
        ])

    private static func run(_ options: CaptureOptions) throws -> Int32 {
        let segment = try open(options)
        let output = options.output ?? "\(segment.name)\(RingOperand.captureSuffix)"
        // The output is checked before any work: without a writable file there is no need to take the image.
        let file = output == "-" ? nil : try WholeFile(replacing: output)
        if file == nil, Terminal.isInteractive {
            throw FileError("a capture is binary; send it to a file or a program, not to a terminal")
        }
        let image = try SegmentImage(of: segment)
        try DamagedMeanwhile.check(segment)
        let (prologue, bytes) = image.capture(ringName: segment.name, hostName: hostName())
        try prologue.withUnsafeBytes { prologue in
            if let file {
                try file.write([prologue, bytes])
            } else {
                try WholeFile.write([prologue, bytes], to: STDOUT_FILENO, "standard output")
            }
        }
        report(segment, image, to: file == nil ? "standard output" : output, bytes: prologue.count + bytes.count)
        return 0
    }

    /// Opens the ring. A damaged ring is captured too, as it is.
    private static func open(_ options: CaptureOptions) throws -> Segment {
        switch options.ring {
        case .name(let name):
            try RingOperand.open(name, in: RingDirectory(path: options.ringDirectory), isSalvaging: true)
        case .file(let path) where Capture.begins(path): throw FileError("\(path) is a capture already; copy it")
        case .file(let path): try RingOperand.openCopy(path, isSalvaging: true)
        }
    }

    private static func report(_ segment: Segment, _ image: SegmentImage, to output: String, bytes: Int) {
        let records = image.wholeRecords
        let range =
            records.isEmpty
            ? "no records"
            : "\(records.upperBound - records.lowerBound) records, \(records.lowerBound) to \(records.upperBound - 1)"
        Terminal.report("ringside capture: \(segment.name) to \(output.printable): \(range); \(bytes) bytes")
    }

    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 257)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
