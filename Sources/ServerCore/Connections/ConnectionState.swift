internal import NIOCore

/// How long each step of a connection may take, and how much of it the server reads. The numbers are in Operating.md
/// and in SyncAPI.docc/Protocol.md.
enum ConnectionRules {
    /// From the first byte of a request, or the opening of the connection, to the end of the request's headers.
    static let head = TimeAmount.seconds(10)
    /// For a request's body, in addition to `bodyPace`.
    static let body = TimeAmount.seconds(30)
    /// For each `bodyStep` of a body that has arrived, in addition.
    static let bodyPace = TimeAmount.seconds(1)
    static let bodyStep = 64 << 10
    /// Between an answer and the next request.
    static let idle = TimeAmount.seconds(90)
    /// How often the server checks that the reader of an answer makes progress. A connection whose reader has received
    /// nothing between two checks is closed, so after a minute at most.
    static let readerCheck = TimeAmount.seconds(30)
    /// How long the client may take to close its side after an answer that ends the connection.
    static let lingering = TimeAmount.seconds(5)
    /// How much of a body is read after it was refused, so that the client sees the answer instead of a reset (RFC 9112
    /// section 9.6).
    static let refusedBytes = 256 << 10
    /// The size of all headers of a request together, and of the longest.
    static let headBytes = 16 << 10
    /// How long requests under way may go on after SIGTERM. Of the 10 s that are promised, that leaves 4 s for closing the
    /// connections and the store. `LastDeadline` ends the process in any case.
    static let shutdown = Duration.seconds(6)
}

/// The state of a connection and its deadlines, without I/O and without a clock.
///
/// The handlers report each event with its time and execute the returned action.
struct ConnectionState {
    /// How far the next request has arrived.
    private enum Reading {
        case nothing
        case head(since: NIODeadline)
        case body(since: NIODeadline, bytes: Int)
    }

    /// The summary of the state that `ConnectionRoster` needs.
    enum Use: Equatable {
        /// No request is under way.
        case idle
        /// A request is arriving.
        case receiving
        /// A request has arrived, and its answer is not written or not sent yet.
        case answering
        /// The answer is an event stream.
        case streaming
    }

    /// What to do with a part of a body.
    enum BodyAction: Equatable {
        case forward
        /// The request was answered without it.
        case discard
        case close
    }

    /// What to do at the end of an answer.
    enum AnswerAction: Equatable {
        case keepOpen
        /// Close once the answer is sent.
        case close
        /// Close the outgoing side, and discard the rest of the body.
        case discardBody
    }

    private var reading = Reading.nothing
    /// Requests whose head has arrived and whose answer's end is not written.
    private var unanswered = 0
    /// Answers that are written and not sent yet.
    private var unsent = 0
    private var isStreaming = false
    /// Whether the present answer said `Connection: close`.
    private var endsWithAnswer = false
    private var hasAnswered = false
    private var idleSince: NIODeadline
    private var lingersSince: NIODeadline?
    private var refusedBytes = 0
    /// How many bytes the reader had received at the last check.
    private var sentBefore: Int?
    private var nextReaderCheck: NIODeadline?

    init(openedAt now: NIODeadline) { idleSince = now }

    var use: Use {
        if isStreaming { return .streaming }
        switch reading {
        case .body: return .receiving
        case .head where unanswered == 0: return .receiving
        case .head, .nothing: return unanswered > 0 || unsent > 0 ? .answering : .idle
        }
    }

    /// Whether an answer waits to be sent.
    var hasUnsent: Bool { unsent > 0 }

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

    /// Whether to close now: the request was answered before it had arrived.
    mutating func requestArrived() -> Bool {
        reading = .nothing
        return lingersSince != nil
    }

    // MARK: Answers

    /// Whether the answer must say `Connection: close`, since its request's body has not arrived whole.
    mutating func answerBegan(isEventStream: Bool, now: NIODeadline) -> Bool {
        isStreaming = isEventStream
        sentBefore = nil
        nextReaderCheck = now + ConnectionRules.readerCheck
        if case .body = reading { endsWithAnswer = true }
        return endsWithAnswer
    }

    /// The last byte of an answer was written; `answerSent` follows once it is sent.
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

    /// The outgoing side was closed: only the client's closing is awaited.
    mutating func outputClosed(now: NIODeadline) { if lingersSince == nil { lingersSince = now } }

    // MARK: Deadlines

    /// When to check the connection again; nil while it waits only for its request's handler.
    var nextLook: NIODeadline? {
        [ownDeadline, unanswered > 0 || unsent > 0 ? nextReaderCheck : nil].compactMap { $0 }.min()
    }

    /// Whether a deadline of the connection has passed.
    ///
    /// - Parameters:
    ///   - written: the number of bytes written to the channel since it was opened.
    ///   - buffered: how many of them wait for the reader.
    mutating func isOver(now: NIODeadline, written: Int, buffered: Int) -> Bool {
        if let deadline = ownDeadline, deadline <= now { return true }
        guard let check = nextReaderCheck, check <= now, unanswered > 0 || unsent > 0 else { return false }
        let sent = written - buffered
        if buffered > 0, sentBefore == sent { return true }
        sentBefore = sent
        nextReaderCheck = now + ConnectionRules.readerCheck
        return false
    }

    private var ownDeadline: NIODeadline? {
        if let lingersSince { return unsent > 0 ? nil : lingersSince + ConnectionRules.lingering }
        switch reading {
        case .body(let since, let bytes):
            let steps = Int64(bytes / ConnectionRules.bodyStep)
            return since + ConnectionRules.body + ConnectionRules.bodyPace * steps
        case .head(let since) where unanswered == 0 && unsent == 0: return since + ConnectionRules.head
        case .nothing where unanswered == 0 && unsent == 0:
            return idleSince + (hasAnswered ? ConnectionRules.idle : ConnectionRules.head)
        case .head, .nothing: return nil
        }
    }
}
