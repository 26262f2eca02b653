internal import ControllerKit

/// The session of a browser that opened a one-time link.
@MainActor
final class PageSession {
    /// The time without a request after which a session ends.
    static let idleTime = Duration.seconds(12 * 3600)
    /// The limit of readings that are kept for the tabs of a browser.
    static let readingsMaximum = 16

    let csrf = Token.make()
    var flash = Flash()
    /// The verbs in progress of this session's forms.
    private var works: [PageWork] = []
    var lastUse: ContinuousClock.Instant
    /// Whether it was redirected to its first page.
    var hasBegun = false
    /// The screens that all sessions of the process share.
    let common: Reading
    /// The status of the sync, for the page's head.
    let head: Reading
    private let makeReading: @MainActor () -> Reading
    /// The readings by address, the most recently used last.
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

    /// Returns the reading of an address, and whether it is new: the shared one, or one of this browser.
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

    /// Performs a verb until it is done or cancelled.
    ///
    /// - Parameters:
    ///   - address: The page that shows the progress.
    ///   - body: Performs the verb and sets `flash`; returns the address that shows the result.
    func begin(_ verb: String, at address: PageAddress, _ body: @escaping @MainActor () async -> PageAddress)
        -> PageWork
    {
        let work = PageWork(verb, at: address)
        works.append(work)
        work.start(body) { [weak self] work in self?.ended(work) }
        return work
    }

    private func ended(_ work: PageWork) {
        // The session has ended, and with it the result.
        guard let index = works.firstIndex(where: { $0 === work }) else { return }
        works.remove(at: index)
        // Otherwise the next page shows the result.
        guard work.isShown else { return }
        flash.watcher = work.address
        reading(at: work.address).reading.signal.notify()
    }

    /// Returns the work with an id.
    func work(_ id: String) -> PageWork? { works.first { Token.areSame($0.id, id) } }

    /// Returns the work that the page at an address shows.
    func work(at address: PageAddress) -> PageWork? { works.last { $0.address == address } }

    // MARK: Results

    /// Returns and removes the result that is shown once.
    func removeFlash() -> Flash {
        defer { flash = Flash() }
        return flash
    }

    /// Returns and removes the result of a work whose progress the page at an address has shown; an empty one
    /// otherwise.
    func removeFlash(watchedAt address: PageAddress) -> Flash { flash.watcher == address ? removeFlash() : Flash() }

    /// Cancels all work, and closes all screens.
    func end() {
        for work in works { work.cancel() }
        // `ended` then ignores the works, so that they can't open a reading again.
        works = []
        for (_, reading) in readings { reading.end() }
        readings = []
        common.end()
        head.end()
    }
}

/// The sessions by the digests of their cookies.
@MainActor
final class PageSessions {
    private var sessions: [String: PageSession] = [:]

    /// Adds a session and returns the cookie's value.
    func add(_ session: PageSession) -> String {
        let key = Token.make()
        // Only the digest is stored; the cookie can't be derived from it.
        sessions[Token.digest(of: key)] = session
        return key
    }

    /// Returns the session of a cookie; nil if there is none or it has ended.
    func session(of key: String?, now: ContinuousClock.Instant) -> PageSession? {
        endIdle(now: now)
        return key.flatMap { sessions[Token.digest(of: $0)] }
    }

    /// Ends a session.
    func remove(_ key: String?) {
        key.flatMap { sessions.removeValue(forKey: Token.digest(of: $0)) }?.end()
    }

    /// Ends all sessions.
    func end() {
        for session in sessions.values { session.end() }
        sessions = [:]
    }

    /// Ends the sessions without a request for `PageSession.idleTime`.
    func endIdle(now: ContinuousClock.Instant) {
        for (key, session) in sessions where now - session.lastUse > PageSession.idleTime {
            session.end()
            sessions[key] = nil
        }
    }
}

/// Stores the address of the last page, where the next page begins.
public struct PageMemory: Sendable {
    /// Returns the stored address; nil if there is none.
    public var load: @MainActor @Sendable () -> String?
    /// Stores an address.
    public var save: @MainActor @Sendable (_ address: String) -> Void

    /// Creates a memory with these operations.
    public init(
        load: @escaping @MainActor @Sendable () -> String?, save: @escaping @MainActor @Sendable (String) -> Void
    ) { (self.load, self.save) = (load, save) }
}
