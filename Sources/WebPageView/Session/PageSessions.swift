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
