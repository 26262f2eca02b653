internal import ControllerKit

/// A browser that came in by a link.
@MainActor
final class PageSession {
    /// How long one may be left alone.
    static let idleTime = Duration.seconds(12 * 3600)
    /// How many readings are kept for the tabs of a browser.
    static let readingsMaximum = 16

    let csrf = Token.make()
    var flash = Flash()
    /// The verbs of its forms that are being carried out.
    private var works: [PageWork] = []
    var lastUse: ContinuousClock.Instant
    /// Whether it was led to its first page.
    var hasBegun = false
    /// The screens as all sessions of the process have them.
    let common: Reading
    /// The status of the sync, for the page's head.
    let head: Reading
    private let makeReading: @MainActor () -> Reading
    /// What was asked for by address, the last used last.
    private var readings: [(address: PageAddress, reading: Reading)] = []

    init(
        now: ContinuousClock.Instant, common: Reading, head: Reading,
        makeReading: @escaping @MainActor () -> Reading
    ) {
        lastUse = now
        self.common = common
        self.head = head
        self.makeReading = makeReading
    }

    /// The reading of an address: the common one, or one of this browser's own.
    func reading(at address: PageAddress) -> (reading: Reading, isNew: Bool) {
        if address.query.isEmpty { return (common, common.coordinator.state(of: address.screen) == nil) }
        if let index = readings.firstIndex(where: { $0.address == address }) {
            let known = readings.remove(at: index)
            readings.append(known)
            return (known.reading, known.reading.coordinator.state(of: address.screen) == nil)
        }
        let reading = makeReading()
        readings.append((address, reading))
        if readings.count > Self.readingsMaximum { readings.removeFirst().reading.end() }
        return (reading, true)
    }

    // MARK: Work

    /// Carries out a verb, until it is done or is cancelled.
    ///
    /// - Parameters:
    ///   - address: The page that shows how far it is.
    ///   - body: Carries the verb out, and puts its result into `flash`; returns the address that shows it.
    func begin(_ verb: String, at address: PageAddress, _ body: @escaping @MainActor () async -> PageAddress)
        -> PageWork
    {
        let work = PageWork(verb, at: address)
        works.append(work)
        work.start(body) { [weak self] work in self?.ended(work) }
        return work
    }

    private func ended(_ work: PageWork) {
        guard let index = works.firstIndex(where: { $0 === work }) else { return }
        works.remove(at: index)
        guard work.isShown else { return }
        flash.watcher = work.address
        reading(at: work.address).reading.signal.notify()
    }

    /// The work of an id.
    func work(_ id: String) -> PageWork? { works.first { Token.areSame($0.id, id) } }

    /// The work that the page at an address shows.
    func work(at address: PageAddress) -> PageWork? { works.last { $0.address == address } }

    // MARK: Results

    /// Returns and removes what is shown once.
    func removeFlash() -> Flash {
        defer { flash = Flash() }
        return flash
    }

    /// Returns and removes the result of a work that the script of the page at an address has shown under way; else nothing.
    func removeFlash(watchedAt address: PageAddress) -> Flash { flash.watcher == address ? removeFlash() : Flash() }

    /// Cancels what is under way, and closes all screens.
    func end() {
        for work in works { work.cancel() }
        works = []
        for (_, reading) in readings { reading.end() }
        readings = []
        common.end()
        head.end()
    }
}

/// The browsers that came in, by their cookies.
@MainActor
final class PageSessions {
    private var sessions: [String: PageSession] = [:]

    /// Adds a session and returns the cookie's value.
    func add(_ session: PageSession) -> String {
        let key = Token.make()
        // What is kept is no secret: who could read it here couldn't make the cookie from it.
        sessions[Token.digest(of: key)] = session
        return key
    }

    /// The session of a cookie, unless it was left alone for too long.
    func session(of key: String?, now: ContinuousClock.Instant) -> PageSession? {
        endIdle(now: now)
        return key.flatMap { sessions[Token.digest(of: $0)] }
    }

    /// Ends a session.
    func remove(_ key: String?) {
        key.flatMap { sessions.removeValue(forKey: Token.digest(of: $0)) }?.end()
    }

    /// Ends all of them.
    func end() {
        for session in sessions.values { session.end() }
        sessions = [:]
    }

    /// Ends those that were left alone for too long.
    func endIdle(now: ContinuousClock.Instant) {
        for (key, session) in sessions where now - session.lastUse > PageSession.idleTime {
            session.end()
            sessions[key] = nil
        }
    }
}

/// Keeps the address that a page showed last, so that the page begins there when it is served again.
public struct PageMemory: Sendable {
    /// The address that was kept; nil: none.
    public var load: @MainActor @Sendable () -> String?
    /// Keeps an address.
    public var save: @MainActor @Sendable (_ address: String) -> Void

    /// A memory of these operations.
    public init(
        load: @escaping @MainActor @Sendable () -> String?, save: @escaping @MainActor @Sendable (String) -> Void
    ) { (self.load, self.save) = (load, save) }
}
