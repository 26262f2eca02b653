internal import NIOCore

/// The time limits of each step of a connection, and the amounts that the server reads. The numbers are in Operating.md
/// and in SyncAPI.docc/Protocol.md.
enum ConnectionRules {
    /// Time from the first byte of a request, or the opening of the connection, to the end of the request's headers.
    static let head = TimeAmount.seconds(10)
    /// Time for a request's body, in addition to `bodyPace`.
    static let body = TimeAmount.seconds(30)
    /// Additional time for each `bodyStep` of a body that has arrived.
    static let bodyPace = TimeAmount.seconds(1)
    static let bodyStep = 64 << 10
    /// Time between an answer and the next request.
    static let idle = TimeAmount.seconds(90)
    /// Time between two checks that the reader of an answer makes progress. A connection whose reader has received
    /// nothing between two checks is closed, so after a minute at most.
    static let readerCheck = TimeAmount.seconds(30)
    /// Time for the client to close its side after an answer that ends the connection.
    static let lingering = TimeAmount.seconds(5)
    /// Number of bytes of a refused body that are read, so that the client sees the answer instead of a reset (RFC 9112
    /// section 9.6).
    static let refusedBytes = 256 << 10
    /// Maximum size of all headers of a request together, and of the longest.
    static let headBytes = 16 << 10
    /// Time for requests under way to finish after SIGTERM. Of the promised 10 s, that leaves 4 s for closing the
    /// connections and the store. `LastDeadline` ends the process in any case.
    static let shutdown = Duration.seconds(6)
}

/// The state of a connection and its deadlines, without I/O and without a clock.
///
/// The handlers report each event with its time and execute the returned action.
struct ConnectionState {
    /// The progress of the next request.
    private enum Reading {
        case nothing
        case head(since: NIODeadline)
        case body(since: NIODeadline, bytes: Int)
    }

    /// The state as far as `ConnectionRoster` needs it.
    enum Use: Equatable {
        /// No request is under way, and one was answered.
        case idle
        /// A request is arriving. A new connection is in this state before its first byte, so that it is not closed
        /// before older ones whose first bytes were read.
        case receiving
        /// A request has arrived, and its answer is not written or not sent yet.
        case answering
        /// The answer is an event stream.
        case streaming
    }

    /// The action for a part of a body.
    enum BodyAction: Equatable {
        case forward
        /// The request was answered without it, so it is dropped.
        case discard
        case close
    }

    /// The action at the end of an answer.
    enum AnswerAction: Equatable {
        case keepOpen
        /// Close once the answer is sent.
        case close
        /// Close the outgoing side, and discard the rest of the body.
        case discardBody
    }

    private var reading = Reading.nothing
    /// Number of requests whose head has arrived and whose answer's end is not written.
    private var unanswered = 0
    /// Number of answers that are written and not sent yet.
    private var unsent = 0
    /// Whether the present answer is an event stream.
    private var isStreaming = false
    private var isInputClosed = false
    /// Whether the present answer has `Connection: close`.
    private var endsWithAnswer = false
    private var hasAnswered = false
    private var idleSince: NIODeadline
    private var lingersSince: NIODeadline?
    private var refusedBytes = 0
    /// Number of bytes that the reader had received at the last check.
    private var sentBefore: Int?
    private var nextReaderCheck: NIODeadline?

    init(openedAt now: NIODeadline) { idleSince = now }

    var use: Use {
        if isStreaming { return .streaming }
        switch reading {
        case .body: return .receiving
        case .head where unanswered == 0: return .receiving
        case .head, .nothing:
            if unanswered > 0 || unsent > 0 { return .answering }
            return hasAnswered ? .idle : .receiving
        }
    }

    /// Whether an answer waits to be sent.
    var hasUnsent: Bool { unsent > 0 }

    /// Whether the reader of an event stream has disconnected. A client that has closed its side still receives the
    /// answers to its requests, but a stream has no end.
    var hasLostReader: Bool { isStreaming && isInputClosed }

    // MARK: Requests

    mutating func bytesArrived(now: NIODeadline) {
        if case .nothing = reading { reading = .head(since: now) }
    }

    mutating func headArrived(now: NIODeadline) {
        reading = .body(since: now, bytes: 0)
        unanswered += 1
    }

    mutating func bodyArrived(bytes: Int) -> BodyAction {
        if lingersSince != nil || unanswered == 0 {
            refusedBytes += bytes
            return refusedBytes > ConnectionRules.refusedBytes ? .close : .discard
        }
        if case .body(let since, let before) = reading { reading = .body(since: since, bytes: before + bytes) }
        return .forward
    }

    /// Records the end of a request.
    ///
    /// - Returns: Whether to close now, since the request was answered before it had arrived.
    mutating func requestArrived() -> Bool {
        reading = .nothing
        return lingersSince != nil
    }

    /// Records that the client has closed its side: no other request arrives.
    mutating func inputClosed() { isInputClosed = true }

    // MARK: Answers

    /// Records the beginning of an answer.
    ///
    /// - Returns: Whether the answer must have `Connection: close`, since its request's body has not arrived
    ///   completely.
    mutating func answerBegan(isEventStream: Bool, now: NIODeadline) -> Bool {
        isStreaming = isEventStream
        sentBefore = nil
        nextReaderCheck = now + ConnectionRules.readerCheck
        if case .body = reading { endsWithAnswer = true }
        return endsWithAnswer
    }

    /// Records that the last byte of an answer was written; `answerSent` follows once it is sent.
    mutating func answerEnded(now: NIODeadline) -> AnswerAction {
        isStreaming = false
        hasAnswered = true
        // A request that can't be parsed is answered without having been counted.
        unanswered = max(0, unanswered - 1)
        unsent += 1
        guard endsWithAnswer else { return .keepOpen }
        guard case .body = reading else { return .close }
        lingersSince = now
        return .discardBody
    }

    mutating func answerSent(now: NIODeadline) {
        unsent -= 1
        idleSince = now
        // The time limit of a pipelined request starts now.
        if case .head = reading { reading = .head(since: now) }
    }

    /// Records that the outgoing side was closed: only the client's closing is awaited.
    mutating func outputClosed(now: NIODeadline) { if lingersSince == nil { lingersSince = now } }

    // MARK: Deadlines

    /// The time of the next check of the connection; nil while it waits only for its request's handler.
    var nextLook: NIODeadline? {
        [ownDeadline, unanswered > 0 || unsent > 0 ? nextReaderCheck : nil].compactMap { $0 }.min()
    }

    /// Returns whether a deadline of the connection has passed.
    ///
    /// - Parameters:
    ///   - written: The number of bytes written to the channel since it was opened.
    ///   - buffered: The number of them that wait for the reader.
    mutating func isOver(now: NIODeadline, written: Int, buffered: Int) -> Bool {
        if let deadline = ownDeadline, deadline <= now { return true }
        guard let check = nextReaderCheck, check <= now, unanswered > 0 || unsent > 0 else { return false }
        // Without waiting bytes, the answer's handler is slow, not the reader.
        let sent = written - buffered
        if buffered > 0, sentBefore == sent { return true }
        sentBefore = sent
        nextReaderCheck = now + ConnectionRules.readerCheck
        return false
    }

    private var ownDeadline: NIODeadline? {
        // While the answer is being sent, the reader's check applies instead.
        if let lingersSince { return unsent > 0 ? nil : lingersSince + ConnectionRules.lingering }
        switch reading {
        case .body(let since, let bytes):
            let steps = Int64(bytes / ConnectionRules.bodyStep)
            // The time grows with the bytes that have arrived, so a client can't keep a connection by sending single
            // bytes.
            return since + ConnectionRules.body + ConnectionRules.bodyPace * steps
        case .head(let since) where unanswered == 0 && unsent == 0: return since + ConnectionRules.head
        case .nothing where unanswered == 0 && unsent == 0:
            return idleSince + (hasAnswered ? ConnectionRules.idle : ConnectionRules.head)
        case .head, .nothing: return nil
        }
    }
}
