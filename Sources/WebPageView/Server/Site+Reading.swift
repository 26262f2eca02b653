internal import ControllerKit

extension Site {
    /// Shows a screen, or hands out its document.
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

    /// - Parameter isLive: whether the page's script asks, which has already shown what is shown once.
    private func page(
        _ screen: ScreenDescription, _ address: PageAddress, _ session: PageSession, isLive: Bool
    ) async -> PageAnswer {
        var flash = isLive ? session.removeFlash(watchedAt: address) : session.removeFlash()
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

    /// Has the controller show what an address asks for: when it is opened, and again when the person asks again; what
    /// changes in the meantime is shown by the controller.
    func read(_ address: PageAddress, _ session: PageSession, again: Bool) async throws {
        let (reading, isNew) = session.reading(at: address)
        let isOpen = address.query.isEmpty && reading.coordinator.join(address.screen)
        // A screen that another view has opened may not have read anything yet: the prompt that ran `add` first.
        let isBlank =
            isOpen && again
            && reading.coordinator.presentation(of: address.screen).map { renderers.isBlank($0) } ?? false
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
        return .file(document.name, document.text)
    }
}

extension Site {
    /// How often a stream says that it is there, so that a browser that has gone is noticed.
    static let heartbeat = Duration.seconds(15)

    /// Server-sent events (HTML, section 9.2): `change` says that the page at the address has something new, which its script
    /// then fetches. A stream holds no state: after a break the browser connects again, and fetches once.
    func live(_ request: PageRequest, _ session: PageSession) -> PageAnswer {
        guard let address = request.query["at"].flatMap({ PageAddress($0) }) else { return .text(400, "Which page?") }
        let signals = [session.reading(at: address).reading.signal, session.head.signal]
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
