internal import Crypto
internal import Foundation

/// Links that open the page, each once and for a limited time. Pure: the time is passed in.
struct OneTimeLinks {
    /// The time for which a link is valid.
    static let lifetime = Duration.seconds(600)

    private var open: [Link] = []

    private struct Link {
        let token: String
        let until: ContinuousClock.Instant
        let whenSpent: @MainActor () -> Void
    }

    /// Adds a link with this token.
    ///
    /// - Parameter whenSpent: Called once, when the token was redeemed, is found to have expired, or is revoked.
    @MainActor
    mutating func add(
        _ token: String, now: ContinuousClock.Instant, whenSpent: @escaping @MainActor () -> Void = {}
    ) {
        removeExpired(now: now)
        open.append(Link(token: token, until: now + Self.lifetime, whenSpent: whenSpent))
    }

    /// Removes a token, and returns whether it was valid.
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

/// Secrets for links, sessions and forms.
enum Token {
    /// Creates a token: 256 bits from the system's random source, in the alphabet for URLs (RFC 4648, section 5).
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return encode((0..<4).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } })
    }

    /// Returns the SHA-256 of a text, in the same alphabet.
    static func digest(of text: String) -> String { encode(Array(SHA256.hash(data: Data(text.utf8)))) }

    /// Whether two tokens are equal. All bytes of their digests are compared, so the time doesn't depend on where the
    /// tokens differ (timing attack).
    static func areSame(_ left: String, _ right: String) -> Bool {
        let pairs = zip(SHA256.hash(data: Data(left.utf8)), SHA256.hash(data: Data(right.utf8)))
        return pairs.reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
