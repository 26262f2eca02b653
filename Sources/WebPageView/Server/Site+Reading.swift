internal import ControllerKit

extension Site {
    /// Answers with the page of a screen, or with its document.
    func get(_ request: PageRequest, _ session: PageSession) async -> PageAnswer {
        if request.path == "/" {
            return await beginning(of: session).map { .see($0) } ?? .text(404, "Page not found.")
        }
        let parts = request.path.split(separator: "/").map(String.init)
        guard let name = parts.first, let screen = catalog.screens.first(where: { $0.name == name }) else {
            return .text(404, "Page not found.")
        }
        let isLive = request.query["live"] != nil
        let address = PageAddress(screen: name, request.query.without("live"))
        if parts.count == 2, parts[1] == "document" { return document(address, session) }
        guard parts.count == 1 else { return .text(404, "Page not found.") }
        return await page(screen, address, session, isLive: isLive)
    }

    /// - Parameter isLive: Whether the page's script asks. It has already shown what is shown once.
    private func page(
        _ screen: ScreenDescription, _ address: PageAddress, _ session: PageSession, isLive: Bool
    ) async -> PageAnswer {
        // The script must not remove a result that belongs to the next page.
        var flash = isLive ? session.removeFlash(watchedAt: address) : session.removeFlash()
        // Reading again would replace a state that asks a question.
        do { try await read(address, session, again: !isLive && !flash.isQuestion) } catch {
            if flash.failure.isEmpty { flash.failure = Failure(error).message }
        }
        let work = session.work(at: address)
        if !isLive { work?.isShown = true }
        let frame = PageFrame(
            catalog, design: design, templates: templates, address: address, csrf: session.csrf, flash: flash,
            clock: PageClock(now: date()), states: session.head.coordinator.states, work: work)
        let coordinator = session.reading(at: address).reading.coordinator
        let presentation = coordinator.presentation(of: screen.name)
        do {
            let model = try PageModel(
                of: screen, presentation, children: presentation.map { coordinator.children(of: $0) } ?? [],
                in: frame)
            if !isLive { lastShown = address }
            return .html(200, templates.html("layout", model))
        } catch {
            return .text(500, Failure(error).message)
        }
    }

    /// Makes the controller read what an address asks for: when it is opened, and again on request. Changes in between
    /// are shown by the controller.
    func read(_ address: PageAddress, _ session: PageSession, again: Bool) async throws {
        let (reading, isNew) = session.reading(at: address)
        let isOpen = address.query.isEmpty && reading.coordinator.join(address.screen)
        // A screen that another view has opened may not have read anything yet, for example after `add` at the prompt.
        let isBlank =
            isOpen && again
            && reading.coordinator.presentation(of: address.screen).map { renderers.isBlank($0) } ?? false
        // A shared screen that is open isn't read again: viewing it must not change what the prompt lists.
        guard isBlank || !isOpen && (isNew || again && !address.query.isEmpty) else { return }
        guard let wanted = renderers[address.screen]?.reading(address.parameters) else {
            return try reading.coordinator.prepare(address.screen)
        }
        try await reading.coordinator.perform(wanted.verb, wanted.values, on: address.screen)
    }

    private func document(_ address: PageAddress, _ session: PageSession) -> PageAnswer {
        let presentation = session.reading(at: address).reading.coordinator.presentation(of: address.screen)
        guard let presentation, let document = renderers.document(of: presentation) else {
            return .text(404, "There is nothing to download.")
        }
        return .file("\(design.program.command)-\(document.name)", document.text)
    }
}

extension Site {
    /// The interval of the comments that keep a stream alive; a write is needed to notice that a browser has gone.
    static let heartbeat = Duration.seconds(15)

    /// Answers with server-sent events (HTML, section 9.2): `change` says that the page at the address has changed, and
    /// its script then fetches it. A stream has no state: after an interruption, the browser connects again and fetches
    /// the page once.
    func live(_ request: PageRequest, _ session: PageSession) -> PageAnswer {
        guard let address = request.query["at"].flatMap({ PageAddress($0) }) else { return .text(400, "Which page?") }
        let signals = [session.reading(at: address).reading.signal, session.head.signal]
        // The events have no content, so older ones may be dropped for a slow reader.
        let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(4))
        // In milliseconds: when the browser connects again.
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
                // Sleeping fails only when the stream has ended; what follows then has no effect on it.
                try? await Task.sleep(for: Self.heartbeat)
                // An open stream doesn't count as use, so the session of an unused page ends here.
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
