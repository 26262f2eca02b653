internal import ControllerKit
internal import Foundation

/// The page: requests in, answers out, over the same controllers as any other view of the process.
@MainActor
final class Site {
    /// Where a one-time link leads.
    nonisolated static let openingPath = "/open"
    /// What a form may be at most: an import goes through one.
    nonisolated static let bodyMaximum = 16 << 20

    let catalog: Catalog
    let renderers: WebRenderers
    let design: PageDesign
    let templates: Templates
    /// The name of this page's cookie. Cookies are of a host, whatever its port: two pages on one machine must not take each
    /// other's.
    private(set) var cookie: String
    /// Until the port is known, all requests are refused.
    private var rules = RequestRules(authorities: [])
    private let common: @MainActor () -> Coordinator
    private let own: @MainActor () -> Coordinator
    private let now: @MainActor () -> ContinuousClock.Instant
    /// The wall's clock, for what is due.
    let date: @Sendable () -> Date
    /// Passes the time after which a form is answered although its work goes on.
    let patience: @Sendable () async -> Void
    private let memory: PageMemory?
    /// The address that was shown last.
    var lastShown: PageAddress?
    private let sessions = PageSessions()
    private var links = OneTimeLinks()

    /// A page that listens nowhere yet.
    ///
    /// - Parameters:
    ///   - common: Makes a coordinator that shares its presentations with the process's other sessions.
    ///   - own: Makes one that shares nothing.
    ///   - memory: Where the address that was shown last is kept; nil: nowhere.
    init(
        _ catalog: Catalog, design: PageDesign,
        common: @escaping @MainActor () -> Coordinator, own: @escaping @MainActor () -> Coordinator,
        memory: PageMemory? = nil,
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
        self.memory = memory
        self.now = now
        self.date = date
        self.patience = patience
        templates = try Templates(design.templates)
    }

    /// Called with the port on which the page listens.
    func listens(at port: Int) {
        cookie = "\(design.cookie)-\(port)"
        rules = RequestRules(port: port)
    }

    /// The path and query of a new link, good once and for ten minutes.
    ///
    /// - Parameter whenSpent: Called once, when the link is no longer valid.
    func makeLink(whenSpent: @escaping @MainActor () -> Void = {}) -> String {
        let token = Token.make()
        links.add(token, now: now(), whenSpent: whenSpent)
        return Self.openingPath + "?" + Parameters([("key", token)]).encoded
    }

    /// Ends the sessions that were left alone for too long.
    func endIdleSessions() { sessions.endIdle(now: now()) }

    /// Ends all sessions, and all links that were not opened yet.
    func end() {
        if let lastShown { memory?.save(lastShown.text) }
        sessions.end()
        links.revokeAll()
    }

    /// Where a browser that has just come in begins: at what the program's state asks for, else where the page was left.
    func beginning(of session: PageSession) async -> String? {
        let isNew = !session.hasBegun
        session.hasBegun = true
        if let first = await catalog.first() { return "/" + first.screen }
        let left = isNew ? memory?.load().flatMap { PageAddress($0) } : nil
        if let left, catalog.screens.contains(where: { $0.name == left.screen }) { return left.text }
        return catalog.screens.first.map { "/" + $0.name }
    }

    /// Answers a request.
    func answer(_ request: PageRequest) async -> PageAnswer {
        if let refusal = rules.refusal(of: request) { return refusal }
        if let asset = Self.asset(request.path) { return asset }
        if request.path == Self.openingPath { return await open(request) }
        let key = request.cookie(cookie)
        guard let session = sessions.session(of: key, now: now()) else { return locked(401) }
        if request.path == "/live" { return live(request, session) }
        session.lastUse = now()
        if request.method == "POST" { return await post(request, session, key: key) }
        return await get(request, session)
    }

    // MARK: Coming in

    private func open(_ request: PageRequest) async -> PageAnswer {
        let token = request.query["key"] ?? ""
        guard request.method == "GET", links.redeem(token, now: now()) else { return locked(403) }
        let session = PageSession(
            now: now(), common: Reading(common()), head: Reading(own()), makeReading: { [own] in Reading(own()) })
        await begin(session.head)
        // No redirect: of a link that another page shows, the way on would still count as that page's doing, and the browser
        // would keep its cookie to itself.
        var answer = PageAnswer.html(200, templates.html("open", ["brand": design.program.name]))
        // No `Secure`: there is no TLS on the loopback address, and some browsers keep no such cookie from there.
        let attributes = "Path=/; HttpOnly; SameSite=Strict"
        answer.headers.append(("Set-Cookie", "\(cookie)=\(sessions.add(session)); \(attributes)"))
        return answer
    }

    /// Shows the status and the saved filters on every page; only states of screens are used.
    func begin(_ head: Reading) async {
        for screen in design.headStatuses { _ = try? await head.coordinator.perform(screen.verb, on: screen.name) }
    }

    /// The page for a browser without a valid link.
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
        answer.headers.append(("Clear-Site-Data", "\"cache\""))
        return answer
    }

    private static func asset(_ path: String) -> PageAnswer? {
        switch path {
        case "/page.css": .asset("text/css; charset=utf-8", PackageResources.page_css)
        case "/page.js": .asset("text/javascript; charset=utf-8", PackageResources.page_js)
        case "/icon.svg", "/favicon.ico": .asset("image/svg+xml", PackageResources.icon_svg)
        default: nil
        }
    }
}
