/// Links that open the page, each once and not for long. Pure: the moments come from outside.
struct OneTimeLinks {
    /// How long a link may wait to be opened.
    static let lifetime = Duration.seconds(600)

    private var open: [Link] = []

    private struct Link {
        let token: String
        let until: ContinuousClock.Instant
        let whenSpent: @MainActor () -> Void
    }

    /// Makes a link's token good.
    ///
    /// - Parameter whenSpent: Called once, when the token has been redeemed, is found to have expired, or is revoked.
    @MainActor
    mutating func add(
        _ token: String, now: ContinuousClock.Instant, whenSpent: @escaping @MainActor () -> Void = {}
    ) {
        removeExpired(now: now)
        open.append(Link(token: token, until: now + Self.lifetime, whenSpent: whenSpent))
    }

    /// Whether a token is good; it isn't any more afterwards.
    @MainActor
    mutating func redeem(_ token: String, now: ContinuousClock.Instant) -> Bool {
        removeExpired(now: now)
        guard let index = open.firstIndex(where: { Token.areSame($0.token, token) }) else { return false }
        open.remove(at: index).whenSpent()
        return true
    }

    /// Invalidates all links.
    @MainActor
    mutating func revokeAll() {
        for link in open { link.whenSpent() }
        open = []
    }

    @MainActor
    private mutating func removeExpired(now: ContinuousClock.Instant) {
        for link in open where link.until <= now { link.whenSpent() }
        open.removeAll { $0.until <= now }
    }
}
