internal import ControllerKit

extension Site {
    /// How often a stream says that it is there, so that a browser that has gone is noticed.
    static let heartbeat = Duration.seconds(15)

    /// Server-sent events (HTML, section 9.2): `change` says that the page at the address has something new, which its script
    /// then fetches. A stream holds no state: after a break the browser connects again, and fetches once.
    func live(_ request: PageRequest, _ session: PageSession) -> PageAnswer {
        guard let address = request.query["at"].flatMap({ PageAddress($0) }) else { return .text(400, "Which page?") }
        let signals = [session.reading(at: address).reading.signal, session.standing.signal]
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(4))
        continuation.yield("retry: 2000\n\n")
        let work = signals.map { signal in
            let changes = signal.changes()
            return Task {
                for await _ in changes { continuation.yield("event: change\ndata: \n\n") }
                continuation.yield("event: end\ndata: \n\n")
                continuation.finish()
            }
        }
        let heart = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.heartbeat)
                // An open stream is no use: a session that was left alone ends with it.
                endIdleSessions()
                continuation.yield(": here\n\n")
            }
        }
        continuation.onTermination = { _ in
            for task in work { task.cancel() }
            heart.cancel()
        }
        return .events(stream)
    }
}
