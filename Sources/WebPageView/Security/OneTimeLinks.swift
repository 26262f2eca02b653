/// Links that open the page, each once and not for long. Pure: the moments come from outside.
struct OneTimeLinks {
    /// How long a link may wait to be opened.
    static let lifetime = Duration.seconds(600)

    private var open: [(token: String, until: ContinuousClock.Instant)] = []

    /// Makes a link's token good.
    mutating func add(_ token: String, now: ContinuousClock.Instant) {
        open.removeAll { $0.until <= now }
        open.append((token, now + Self.lifetime))
    }

    /// Whether a token is good; it isn't any more afterwards.
    mutating func redeem(_ token: String, now: ContinuousClock.Instant) -> Bool {
        open.removeAll { $0.until <= now }
        guard let index = open.firstIndex(where: { Token.areSame($0.token, token) }) else { return false }
        open.remove(at: index)
        return true
    }
}
