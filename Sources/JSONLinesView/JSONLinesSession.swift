import CanonicalJSON
public import ControllerKit

/// A session with a program: it reads requests and writes states and outcomes, all as JSON lines.
///
/// The first line is a greeting with all screens, their verbs, and the JSON Schemas of both. Requests are processed one
/// at a time, in order; `{"cancel": ID}` cancels one that runs or waits. Each has exactly one outcome (`done` or
/// `error`) with its id, after the states that it caused. A verb that answers with a state is answered with one even if
/// nothing changed. The states that answer a request, and those of its verb's screen while it runs, have its id; states
/// without an id are changes from elsewhere. A line that isn't a request causes an error with the number of the line,
/// and the session continues. When the input ends, `end` is the last line. <doc:Protocol> describes the protocol.
///
///     > {"id": 1, "verb": "move", "arguments": {"x": 1, "y": 2}}
///     < {"id":1,"screen":"square","state":{…},"type":"state"}
///     < {"id":1,"type":"done"}
@MainActor
public final class JSONLinesSession {
    /// The default limit for a line, in bytes: 8 MiB.
    public nonisolated static let usualMaximumLineLength = 8 << 20

    private let coordinator: Coordinator
    private let views: JSONLinesViews
    private let version: String
    private let maximumLineLength: Int
    private let news: @Sendable () -> AsyncStream<String>
    private let input: AsyncThrowingStream<[UInt8], any Error>?
    private var lineNumber = 0
    /// The jobs that wait for their turn.
    private var waiting: [Job] = []
    /// The job that runs, with the id of its request; nil as the id: it has none.
    private var underWay: (id: RequestID?, task: Task<Void, Never>)?

    /// Creates a session for a catalogue.
    ///
    /// - Parameters:
    ///   - version: The program's version, for the greeting.
    ///   - maximumLineLength: The limit for a line, in bytes. Longer lines are refused.
    ///   - news: Messages for the user that don't belong to a request, as they occur, read until `run` returns.
    ///   - input: The bytes from the peer, in chunks of any size, for `run(_:)` as a front end.
    ///   - write: Writes a line, which is passed without its end.
    public init(
        _ catalog: Catalog, version: String, maximumLineLength: Int = usualMaximumLineLength,
        input: AsyncThrowingStream<[UInt8], any Error>? = nil,
        news: @escaping @Sendable () -> AsyncStream<String> = { AsyncStream { $0.finish() } },
        write: @escaping JSONLinesViews.Write
    ) {
        let views = JSONLinesViews(write: write)
        self.views = views
        self.version = version
        self.maximumLineLength = maximumLineLength
        self.news = news
        self.input = input
        coordinator = Coordinator(catalog) { error in
            // The error is ignored: if the output is closed, the session's next write reports it.
            Task { try? await views.send(.error(nil, line: nil, Failure(error))) }
        }
        coordinator.attach(views)
    }

    /// Serves the peer until its input ends, then closes all screens.
    ///
    /// - Parameter input: The bytes from the peer, in chunks of any size.
    /// - Throws: The error of `write` or of the input, if the connection to the peer is closed.
    public func run<Input: AsyncSequence & Sendable>(_ input: Input) async throws where Input.Element == [UInt8] {
        defer { coordinator.end() }
        try await views.send(.hello(Greeting(version: version, coordinator.catalog)))
        let showing = Task { [views, news] in
            // The error is ignored: if the output is closed, the session's next write reports it.
            for await message in news() { try? await views.send(.news(message)) }
        }
        defer { showing.cancel() }
        try await serve(input)
        // Before the last line, so that no screen renders after it.
        coordinator.end()
        try await views.send(.end)
    }

    // MARK: Requests in order

    /// An event that the session waits for.
    private enum Step {
        /// A chunk of the input. The next one is read after `more` is resumed.
        case chunk([UInt8], more: CheckedContinuation<Void, Never>)
        /// The end of the input, or the error of reading it.
        case end((any Error)?)
        /// The running job is done or couldn't write.
        case done(Result<Void, any Error>)
    }

    /// A line to be answered in its turn.
    private enum Job {
        case request(Request)
        case refusal(RequestID?, line: Int?, Failure)
    }

    /// The number of waiting jobs at which reading pauses, which bounds the memory for a fast peer.
    private static let maximumWaiting = 64

    /// Performs the requests of the input one after the other. It reads on meanwhile, so that requests can be
    /// cancelled.
    private func serve<Input: AsyncSequence & Sendable>(_ input: Input) async throws where Input.Element == [UInt8] {
        let (steps, feed) = AsyncStream.makeStream(of: Step.self)
        let reader = Task {
            do {
                for try await chunk in input {
                    // The stream has no bound, so the reader waits until the chunk is processed and few jobs are waiting.
                    await withCheckedContinuation { _ = feed.yield(.chunk(chunk, more: $0)) }
                }
                feed.yield(.end(nil))
            } catch { feed.yield(.end(error)) }
        }
        var splitter = LineSplitter(maximumLength: maximumLineLength)
        var more: CheckedContinuation<Void, Never>?
        var isAtEnd = false
        defer {
            reader.cancel()
            underWay?.task.cancel()
            // A continuation must be resumed, or the reader would be suspended forever.
            more?.resume()
        }
        for await step in steps {
            switch step {
            case .chunk(let chunk, let continuation):
                more = continuation
                for line in splitter.lines(completedBy: chunk) { try await process(line) }
            case .end(let error?): throw error
            case .end(nil):
                isAtEnd = true
                if let line = splitter.remainder() { try await process(line) }
            case .done(let result):
                underWay = nil
                try result.get()
            }
            startNext(feed)
            // After `startNext`, no job waits if none runs.
            if isAtEnd, underWay == nil { return }
            if waiting.count < Self.maximumWaiting {
                more?.resume()
                more = nil
            }
        }
    }

    /// Starts the next job unless one runs.
    private func startNext(_ feed: AsyncStream<Step>.Continuation) {
        guard underWay == nil, !waiting.isEmpty else { return }
        let job = waiting.removeFirst()
        let task = Task {
            do {
                try await perform(job)
                feed.yield(.done(.success(())))
            } catch { feed.yield(.done(.failure(error))) }
        }
        if case .request(let request) = job { underWay = (request.id, task) } else { underWay = (nil, task) }
    }

    private func perform(_ job: Job) async throws {
        switch job {
        case .request(let request): try await views.send(perform(request))
        case .refusal(let id, let line, let failure): try await views.send(.error(id, line: line, failure))
        }
    }

    private func process(_ line: LineSplitter.Line) async throws {
        lineNumber += 1
        switch line {
        case .tooLong:
            let bound = Failure(.usage, "The line is longer than \(maximumLineLength) bytes.")
            waiting.append(.refusal(nil, line: lineNumber, bound))
        case .bytes(let bytes):
            // White space is allowed between requests; a line that ends with CR LF ends with 0x0D here.
            if !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { try await read(bytes) }
        }
    }

    private func read(_ bytes: [UInt8]) async throws {
        var id: RequestID?
        let cancelled: RequestID?
        do throws(Failure) {
            let members = try members(bytes)
            // The id is read first, so that the answer to an error in another member contains it.
            id = try RequestID(members["id"])
            cancelled = try Request.cancelled(members)
            if cancelled == nil {
                waiting.append(.request(try Request(members, id: id, catalog: coordinator.catalog)))
            }
        } catch {
            waiting.append(.refusal(id, line: lineNumber, error))
            return
        }
        if let cancelled { try await cancel(cancelled, id) }
    }

    /// Cancels the request with an id, whose outcome is then an error. The cancellation itself is answered immediately.
    private func cancel(_ cancelled: RequestID, _ id: RequestID?) async throws {
        if let underWay, underWay.id == cancelled {
            underWay.task.cancel()
            return try await views.send(.done(id, notice: nil))
        }
        let place = waiting.firstIndex {
            if case .request(let request) = $0 { request.id == cancelled } else { false }
        }
        guard let place else {
            let failure = Failure(.notFound, "No request with this id is under way.")
            return try await views.send(.error(id, line: nil, failure))
        }
        // In the place of the request, so that the outcomes of requests stay in order.
        waiting[place] = .refusal(cancelled, line: nil, Failure(CancellationError()))
        try await views.send(.done(id, notice: nil))
    }

    private func members(_ bytes: [UInt8]) throws(Failure) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: bytes) } catch {
            throw Failure(.usage, "The line is not JSON: \(error).")
        }
        guard let members = value.object else { throw Failure(.usage, "A request must be a JSON object.") }
        return members
    }

    /// Performs a request and returns its outcome.
    private func perform(_ request: Request) async throws -> Event {
        views.request = RequestUnderWay(id: request.id, screen: request.screen)
        defer { views.request = nil }
        let presentation: any AnyPresentation
        do { presentation = try await coordinator.perform(request.verb, request.arguments, on: request.screen) } catch {
            return .error(request.id, line: nil, Failure(error))
        }
        // A state that was rendered during the request has its id already and isn't sent twice.
        let isShown = presentation.screenName == request.screen && views.request?.hasShownScreen == true
        if request.answer == .state, !isShown {
            try await views.send(.state(request.id, screen: presentation.screenName, presentation.anyState))
        }
        return .done(request.id, notice: presentation.anyState.notice)
    }
}

extension JSONLinesSession: Frontend {
    public nonisolated static var name: String { "json" }
    public nonisolated static var purpose: String { "one JSON object per line, for programs" }
    public nonisolated static var canBeAttached: Bool { true }

    /// Serves the peer until its input ends.
    public func run(_ words: [String]) async throws -> CommandStatus {
        guard words.isEmpty, let input else { throw Failure(.usage, "Commands come from the input, as JSON lines.") }
        try await run(input)
        return .ok
    }

    public func views(writing write: @escaping @MainActor (String) async throws -> Void) -> (any ViewFactory)? {
        JSONLinesViews(write: write)
    }
}
