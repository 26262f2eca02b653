internal import Backend
internal import LocalStore
internal import SyncAPI

// The stream of the server's events: opened again whenever it ends, as long as an account is signed in and it is
// wanted.
extension AutoSync {
    /// A stream of events under way, or the pause before the next try.
    struct Listening {
        /// Distinguishes a stream from earlier ones, which may still be ending.
        var number: Int
        var task: Task<Void, Never>
        /// Whether it waits before the next try.
        var isPausing = false
    }

    /// Opens the stream or closes it.
    func listen(_ isWanted: Bool) {
        switch (isWanted, listening) {
        case (true, nil): start()
        case (false, let former?):
            former.task.cancel()
            listening = nil
            if isLive { step { $0.disconnected(at: $1) } }
        case (true, _?), (false, nil): break
        }
    }

    /// Ends a pause: the server is known to answer again.
    func reconnect() {
        guard let former = listening, former.isPausing else { return }
        former.task.cancel()
        start()
    }

    private func start() {
        streams += 1
        let number = streams
        listening = Listening(number: number, task: Task(executorPreference: executor) { await self.hold(number) })
    }

    /// Whether this stream is still the one that is wanted.
    private func isWanted(_ number: Int) -> Bool { listening?.number == number && !Task.isCancelled }

    private func hold(_ number: Int) async {
        var pause = EventPause(timing: timing)
        while isWanted(number) {
            let ending = await follow(number, &pause)
            let time = pause.next(after: ending, random: random())
            guard isWanted(number) else { return }
            listening?.isPausing = true
            do { try await clock.sleep(clock.now() + time) } catch { return }
            guard isWanted(number) else { return }
            listening?.isPausing = false
        }
    }

    /// Opens the stream and hears it to its end.
    private func follow(_ number: Int, _ pause: inout EventPause) async -> EventPause.Ending {
        let events: AsyncThrowingStream<ServerEvent, any Error>
        do { events = try await backend.events(after: lastEventID) } catch { return EventPause.Ending(error) }
        guard isWanted(number) else { return .lasted(.zero) }
        let start = clock.now()
        step { $0.connected(at: $1) }
        do {
            for try await event in events where isWanted(number) { await handle(event, &pause) }
        } catch {
            // A stream that breaks is one that ends: it is opened again.
        }
        if isWanted(number) { step { $0.disconnected(at: $1) } }
        return .lasted(clock.now() - start)
    }

    private func handle(_ event: ServerEvent, _ pause: inout EventPause) async {
        switch event {
        case .retry(let time): pause.asked = time
        case .changes(let changes):
            lastEventID = changes.id
            let state = try? await store.read { try $0.replica.state() }
            guard state?.remote == changes.space else { return }
            step { $0.heard(changes.cursor, holding: state?.cursor, at: $1) }
        }
    }
}
