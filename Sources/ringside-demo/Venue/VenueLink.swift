internal import Glibc

/// The bot's end of the connection to its venue. Nothing here blocks, except `wait`.
///
/// The feed's trades are held back until an order goes out or many have gathered, so that each does not cost a system
/// call. An order is sent at once.
struct VenueLink: ~Copyable {
    /// The result of sending a request.
    enum SendResult: Equatable {
        case sent
        /// The venue does not read fast enough. The request was dropped.
        case full
        /// There is no connection, or it failed now.
        case disconnected
    }

    private static let tradesHeldBack = 64
    /// Bytes that may wait for a venue that does not read.
    private static let outputByteLimit = 1 << 18

    private let address: LocalAddress
    private var descriptor: Int32 = -1
    private var output: [UInt8] = []
    private var input = FrameReader(frameByteCount: VenueResponse.byteCount)
    /// Trades dropped because the venue did not read.
    private(set) var droppedTrades: UInt64 = 0

    init(to address: LocalAddress) { self.address = address }

    deinit { if descriptor >= 0 { close(descriptor) } }

    var isConnected: Bool { descriptor >= 0 }

    /// Bytes not yet taken by the kernel, as a share of the bytes that may wait.
    var fillRatio: Double { Double(output.count) / Double(Self.outputByteLimit) }

    /// Tries to connect. `wait` supports only the descriptors that an fd_set has bits for. In a process with more open
    /// descriptors, this throws.
    mutating func connect() throws(SocketError) {
        guard descriptor < 0 else { return }
        let opened = try connectLocally(to: address)
        guard opened < Int32(MemoryLayout<fd_set>.size * 8) else {
            close(opened)
            throw SocketError(action: "wait for", code: EMFILE)
        }
        descriptor = opened
    }

    /// Drops the connection and all unfinished requests.
    mutating func disconnect() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        output.removeAll(keepingCapacity: true)
        input.removeAll()
    }

    /// Sends an order or a cancellation, and the trades before it.
    mutating func send(_ request: VenueRequest) -> SendResult {
        if output.count >= Self.outputByteLimit { flush() }
        guard isConnected else { return .disconnected }
        guard output.count < Self.outputByteLimit else { return .full }
        request.encode(to: &output)
        return flush()
    }

    /// Whether enough trades are held back to be worth a system call.
    var hasFullBatch: Bool { output.count >= Self.tradesHeldBack * VenueRequest.byteCount }

    /// Whether anything is held back.
    var hasOutput: Bool { !output.isEmpty }

    /// Queues a trade of the feed for the venue. It is sent with the next order or by `flush`.
    mutating func tell(_ trade: VenueRequest) {
        guard isConnected else { return }
        // Half of the space is kept for orders.
        guard output.count < Self.outputByteLimit / 2 else { return droppedTrades += 1 }
        trade.encode(to: &output)
    }

    /// Writes what the kernel accepts. The rest is kept and counts as sent.
    @discardableResult
    mutating func flush() -> SendResult {
        guard isConnected else { return .disconnected }
        var sent = 0
        while sent < output.count {
            let count = output.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno != EAGAIN {
                disconnect()
                return .disconnected
            }
            if count < 0 { break }
            sent += count
        }
        output.removeFirst(sent)
        return .sent
    }

    /// Reads the venue's answers. Take them with `nextResponse`.
    ///
    /// - Returns: False if the connection is gone. Answers that came before that can still be taken.
    mutating func receive() -> Bool { isConnected && input.fill(from: descriptor) }

    mutating func nextResponse() -> VenueResponse? { input.next(VenueResponse.decode) }

    /// Sleeps until the venue has answered or the time is over.
    func wait(nanoseconds: Int64) {
        guard isConnected else { return sleepNanoseconds(nanoseconds) }
        var time = timespec(nanoseconds: nanoseconds)
        var reading = fd_set()
        withUnsafeMutableBytes(of: &reading) { $0[Int(descriptor) / 8] |= 1 << (descriptor % 8) }
        pselect(descriptor + 1, &reading, nil, nil, &time, nil)
    }
}
