internal import Backend
internal import LocalStore
internal import SyncAPI

// The stream of the server's events: it is opened again whenever it ends, as long as an account is signed in and the
// automatic sync is on.
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

    /// Ends a pause, since the server is known to answer again.
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

    /// Returns whether this stream is still the wanted one.
    private func isWanted(_ number: Int) -> Bool { listening?.number == number && !Task.isCancelled }

    private func hold(_ number: Int) async {
        var pause = EventPause(timing: timing)
        while isWanted(number) {
            let ending = await follow(number, &pause)
            let time = pause.next(after: ending, random: random())
            // Checked after each wait, since another stream may have replaced this one meanwhile.
            guard isWanted(number) else { return }
            listening?.isPausing = true
            do { try await clock.sleep(clock.now() + time) } catch { return }
            guard isWanted(number) else { return }
            listening?.isPausing = false
        }
    }

    /// Opens the stream and handles its events until it ends.
    private func follow(_ number: Int, _ pause: inout EventPause) async -> EventPause.Ending {
        let events: AsyncThrowingStream<ServerEvent, any Error>
        do { events = try await backend.events(after: lastEventID) } catch { return EventPause.Ending(error) }
        guard isWanted(number) else { return .lasted(.zero) }
        let start = clock.now()
        step { $0.connected(at: $1) }
        do {
            for try await event in events where isWanted(number) { await handle(event, &pause) }
        } catch {
            // A stream that breaks is like one that ends: it is opened again.
        }
        if isWanted(number) { step { $0.disconnected(at: $1) } }
        return .lasted(clock.now() - start)
    }

    private func handle(_ event: ServerEvent, _ pause: inout EventPause) async {
        switch event {
        case .retry(let time): pause.asked = time
        case .changes(let changes):
            lastEventID = changes.id
            // `try?`: with a cache that can't be read now, the change counts as one that isn't here, and is pulled. The
            // event would not come again.
            let state = try? await store.read { try $0.replica.state() }
            // Events of other spaces don't concern this home.
            if let state, state.remote != changes.space { return }
            step { $0.heard(changes.cursor, holding: state?.cursor, at: $1) }
        }
    }
}
