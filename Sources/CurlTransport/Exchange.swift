import Backend
import CCurl

/// One request in progress: an easy handle with its context. It is used only on the loop's thread.
final class Exchange {
    let transfer: Transfer
    let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutableBufferPointer<CChar>
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var parser = HeadParser()
    /// Why a callback aborted the transfer; more specific than libcurl's code.
    private var failure: TransportError?
    private var isHeldBack = false
    /// When a byte was last transferred, in either direction.
    private var lastHeard = ContinuousClock.now
    /// Bytes of the body that were sent.
    private var uploaded: Int64 = 0
    /// Whether the head of the answer has arrived.
    private(set) var hasHead = false

    /// - Parameter sharing: See `EasyOptions.apply`.
    /// - Throws: `.protocolViolation` if the request is malformed or libcurl has no memory.
    init(_ transfer: Transfer, sharing: Bool) throws(TransportError) {
        let headers = try HeaderList(transfer.request)
        guard let easy = ccurl_easy_init() else {
            throw TransportError(.protocolViolation, detail: "libcurl has no memory for a request")
        }
        self.transfer = transfer
        self.easy = easy
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0)
        // From here on, `deinit` cleans up if an error is thrown.
        self.headers = try headers.list()
        try EasyOptions(easy).apply(
            transfer, sharing: sharing, headers: self.headers, errorText: errorText.baseAddress)
        try listen()
    }

    deinit {
        ccurl_easy_cleanup(easy)
        ccurl_slist_free_all(headers)
        errorText.deallocate()
    }

    /// Sets the callbacks. Their context isn't retained: the worker keeps the exchange until its handle is removed from
    /// libcurl.
    private func listen() throws(TransportError) {
        let options = EasyOptions(easy)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try options.set(CURLOPT_PRIVATE, to: context)
        try options.set(CURLOPT_HEADERDATA, to: context)
        try options.set(CURLOPT_WRITEDATA, to: context)
        try options.set(CURLOPT_HEADERFUNCTION) { data, size, count, context in
            Exchange.from(context)?.receiveHeader(UnsafeRawBufferPointer(start: data, count: size * count)) ?? 0
        }
        try options.set(CURLOPT_WRITEFUNCTION) { data, size, count, context in
            Exchange.from(context)?.receiveBody(UnsafeRawBufferPointer(start: data, count: size * count)) ?? 0
        }
    }

    /// Returns the exchange of a context that `listen` has set.
    static func from(_ context: UnsafeMutableRawPointer?) -> Exchange? {
        context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }
}

// MARK: - Callbacks of libcurl; each returns how much was consumed, and less than all ends the exchange

extension Exchange {
    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        lastHeard = .now
        do throws(HeadParser.Malformed) {
            if let head = try parser.receive(line) {
                hasHead = true
                transfer.receiver.receive(head)
            }
            return line.count
        } catch {
            failure = TransportError(.protocolViolation, detail: "the head of the answer is malformed or too large")
            // Any count but that of the line makes libcurl abort the transfer.
            return line.count - 1
        }
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastHeard = .now
        switch transfer.receiver.receive(bytes) {
        case .all: return bytes.count
        case .notNow:
            isHeldBack = true
            return Int(CURL_WRITEFUNC_PAUSE)
        case .tooLarge:
            let limit = transfer.options.largestAnswer
            failure = TransportError(.tooLarge, detail: "the answer is larger than \(limit) bytes")
            // Must differ from the count, or libcurl continues.
            return bytes.count == 0 ? 1 : 0
        }
    }
}

// MARK: - What the loop asks

extension Exchange {
    /// Continues a paused transfer.
    func resume() {
        guard isHeldBack else { return }
        // Before the call: curl_easy_pause(3) may call `receiveBody` at once, which may pause again.
        isHeldBack = false
        lastHeard = .now
        // If it fails, the exchange ends at its deadline, which applies again.
        _ = ccurl_resume(easy)
    }

    /// The time at which the exchange fails if no byte is transferred; nil while the transfer is paused on this side.
    ///
    /// libcurl's own limits don't apply while a request waits for a connection, so they bound only the transfer itself.
    var deadline: ContinuousClock.Instant? { isHeldBack ? nil : lastHeard + silence }

    /// The longest time without a byte, in either direction.
    var silence: Duration { transfer.request.silence ?? transfer.request.timeout }

    /// Updates the time of the last byte if more of the body was sent since the last call.
    func noteProgress() {
        // Polled, since libcurl doesn't call back for what it sends from memory.
        let now = ccurl_uploaded(easy)
        if now > uploaded { (uploaded, lastHeard) = (now, .now) }
    }

    /// Passes libcurl's result to the receiver.
    func finish(_ code: CURLcode) {
        guard code != CURLE_OK else { return finish(nil) }
        let text = errorText.baseAddress.map { String(cString: $0) } ?? ""
        finish(failure ?? TransportError(code, detail: text))
    }

    /// Passes the end of the exchange to the receiver.
    func finish(_ error: TransportError?) { transfer.receiver.finish(error) }
}
