internal import ControllerKit
internal import Foundation

/// The page: answers requests with the same controllers as the other views of the process.
@MainActor
final class Site {
    /// The path of a one-time link.
    nonisolated static let openingPath = "/open"
    /// The size limit of a form in bytes; an import is sent as a form.
    nonisolated static let bodyMaximum = 16 << 20

    let catalog: Catalog
    let renderers: WebRenderers
    let design: PageDesign
    let templates: Templates
    /// The name of this page's cookie. It contains the port: cookies belong to a host, so two pages on one machine
    /// would overwrite each other's.
    private(set) var cookie: String
    /// The accepted requests; none until the port is known.
    private var rules = RequestRules(authorities: [])
    private let common: @MainActor () -> Coordinator
    private let own: @MainActor () -> Coordinator
    /// Whether no other front end of the process shows the shared screens.
    private let isAlone: Bool
    private let now: @MainActor () -> ContinuousClock.Instant
    /// The wall clock.
    let date: @Sendable () -> Date
    private let timeZone: TimeZone
    /// Waits for the time after which a form is answered although its work continues.
    let patience: @Sendable () async -> Void
    /// See `WebPage`.
    let recording: WebPage.Recording?
    private let memory: PageMemory?
    /// The address of the last page.
    var lastShown: PageAddress?
    private let sessions = PageSessions()
    private var links = OneTimeLinks()

    /// Creates a page that isn't served yet.
    ///
    /// - Parameters:
    ///   - common: Creates a coordinator that shares its presentations with the process's other sessions.
    ///   - own: Creates a coordinator that shares nothing.
    ///   - isAlone: Whether no other front end of the process shows the shared screens. Then a reload reads them again.
    ///   - memory: Stores the address of the last page; nil: it is not stored.
    ///   - recording: See `WebPage`.
    init(
        _ catalog: Catalog, design: PageDesign,
        common: @escaping @MainActor () -> Coordinator, own: @escaping @MainActor () -> Coordinator,
        isAlone: Bool = false, memory: PageMemory? = nil, timeZone: TimeZone = .current,
        recording: WebPage.Recording? = nil,
        now: @escaping @MainActor () -> ContinuousClock.Instant = { .now },
        date: @escaping @Sendable () -> Date = { Date() },
        patience: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }
    ) throws {
        self.catalog = catalog
        self.design = design
        cookie = design.cookie
        renderers = WebRenderers(catalog)
        self.common = common
        self.own = own
        self.isAlone = isAlone
        self.memory = memory
        self.recording = recording
        self.now = now
        self.date = date
        self.timeZone = timeZone
        self.patience = patience
        templates = try Templates(design.templates)
    }

    /// Accepts requests for the port on which the server listens.
    func listens(at port: Int) {
        cookie = "\(design.cookie)-\(port)"
        rules = RequestRules(port: port)
    }

    /// Returns the path and query of a new link, which is valid once and for ten minutes.
    ///
    /// - Parameter whenSpent: Called once, when the link is no longer valid.
    func makeLink(whenSpent: @escaping @MainActor () -> Void = {}) -> String {
        let token = Token.make()
        links.add(token, now: now(), whenSpent: whenSpent)
        return Self.openingPath + "?" + Parameters([("key", token)]).encoded
    }

    /// Ends the sessions without a request for `PageSession.idleTime`.
    func endIdleSessions() { sessions.endIdle(now: now()) }

    /// Ends all sessions, and revokes all links.
    func end() {
        if let lastShown { memory?.save(lastShown.text) }
        sessions.end()
        links.revokeAll()
    }

    /// Returns the first address of a session: the screen that the program's state requires, or else the one of the
    /// last page.
    func beginning(of session: PageSession) async -> String? {
        let isNew = !session.hasBegun
        session.hasBegun = true
        if let first = await catalog.first() { return "/" + first.screen }
        let left = isNew ? memory?.load().flatMap { PageAddress($0) } : nil
        // The stored address may name a screen that no longer exists.
        if let left, catalog.screens.contains(where: { $0.name == left.screen }) { return left.text }
        return catalog.screens.first.map { "/" + $0.name }
    }

    /// Answers a request.
    func answer(_ request: PageRequest) async -> PageAnswer {
        if let refusal = rules.refusal(of: request) { return refusal }
        // Without a session: the page that says how to sign in needs the styles, and they contain no data.
        if let asset = asset(request.path) { return asset }
        if request.path == Self.openingPath { return await open(request) }
        let key = request.cookie(cookie)
        guard let session = sessions.session(of: key, now: now()) else { return locked(401) }
        // Before the time is set: an open stream must not keep its session alive.
        if request.path == "/live" { return live(request, session) }
        // Nor must the script's requests for news of the page in an open tab.
        if request.query["live"] == nil { session.lastUse = now() }
        if request.method == "POST" { return await post(request, session, key: key) }
        return await get(request, session)
    }

    // MARK: Coming in

    private func open(_ request: PageRequest) async -> PageAnswer {
        let token = request.query["key"] ?? ""
        // A HEAD request, for example of a link preview, must not use up the link.
        guard request.method == "GET", links.redeem(token, now: now()) else { return locked(403) }
        let session = PageSession(
            now: now(), common: Reading(common()), head: Reading(own()), makeReading: { [own] in Reading(own()) })
        await begin(session.head)
        // No redirect: if the link was followed from another site, the next request would still count as cross-site,
        // and the browser would not send the `SameSite=Strict` cookie. The page loads `/` itself.
        var answer = PageAnswer.html(200, templates.html("open", ["brand": design.program.name]))
        // No `Secure`: the loopback address has no TLS, and not every browser stores such a cookie from there.
        let attributes = "Path=/; HttpOnly; SameSite=Strict"
        answer.headers.append(("Set-Cookie", "\(cookie)=\(sessions.add(session)); \(attributes)"))
        return answer
    }

    /// Reads the states for the head of every page. Errors are ignored: a page without its status is still useful, and
    /// the screens themselves show errors.
    func begin(_ head: Reading) async {
        for screen in design.headStatuses { _ = try? await head.coordinator.perform(screen.verb, on: screen.name) }
    }

    /// Returns the page for a browser without a session.
    private func locked(_ status: Int) -> PageAnswer {
        .html(
            status,
            templates.html(
                "locked", ["isUsed": status == 403, "brand": design.program.name, "opening": design.opening]))
    }

    func leave(_ key: String?) -> PageAnswer {
        sessions.remove(key)
        var answer = locked(200)
        answer.headers.append(("Set-Cookie", "\(cookie)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"))
        // Removes what the browser may have cached of the records.
        answer.headers.append(("Clear-Site-Data", "\"cache\""))
        return answer
    }

    private func asset(_ path: String) -> PageAnswer? {
        switch path {
        case "/page.css": .asset("text/css; charset=utf-8", PackageResources.page_css + design.styles)
        case "/page.js": .asset("text/javascript; charset=utf-8", PackageResources.page_js)
        case "/icon.svg", "/favicon.ico": .asset("image/svg+xml", PackageResources.icon_svg)
        default: nil
        }
    }
}

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
        if !isLive, let question = question(flash, at: address, session) { return question }
        // The result of long work, which the script fetches, has no place for a form.
        if let confirmation = flash.confirmation { flash.failure = confirmation.question }
        // The page after a form shows the state that its verb left, and the page of a work its progress.
        let isReload = !isLive && flash.isEmpty && session.work(at: address) == nil
        // Reading again would replace a state that asks a question.
        do { try await read(address, session, again: !isLive && !flash.isQuestion, isReload: isReload) } catch {
            if flash.failure.isEmpty { flash.failure = Failure(error).message }
        }
        let work = session.work(at: address)
        if !isLive { work?.isShown = true }
        let frame = PageFrame(
            catalog, design: design, templates: templates, address: address, csrf: session.csrf, flash: flash,
            clock: PageClock(now: date(), timeZone: timeZone), states: session.head.coordinator.states, work: work)
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
    ///
    /// - Parameter isReload: Whether a person requests the page, and it is not the answer to a form.
    func read(_ address: PageAddress, _ session: PageSession, again: Bool, isReload: Bool = false) async throws {
        let (reading, isNew) = session.reading(at: address)
        let isOpen = address.query.isEmpty && reading.coordinator.join(address.screen)
        // A screen that another view has opened may not have read anything yet, for example after `add` at the prompt.
        let isBlank =
            isOpen && again
            && reading.coordinator.presentation(of: address.screen).map { renderers.isBlank($0) } ?? false
        // A screen that a prompt may show, too, isn't read again: viewing it must not change what the prompt lists.
        // Neither is one that asks something: the answer would be lost.
        let asks = reading.coordinator.presentation(of: address.screen).flatMap { renderers.question(of: $0) } != nil
        let isReloaded = isOpen && isReload && isAlone && !asks
        guard isBlank || isReloaded || !isOpen && (isNew || again && !address.query.isEmpty) else { return }
        guard let wanted = renderers[address.screen]?.reading(address.parameters) else {
            return try reading.coordinator.prepare(address.screen)
        }
        if isReloaded, try catalog.command(wanted.verb, on: address.screen).verb.traits.contains(.remote) { return }
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
