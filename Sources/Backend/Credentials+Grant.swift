import Foundation
import SyncAPI

extension Credentials {
    /// The session that a server has just granted.
    ///
    /// The expiry is translated to this device's clock by the answer's `Date`, so that a wrong clock neither refreshes
    /// with each request nor misses the end.
    init(grant: SessionGrant, from server: Destination, date: Date?, now: Date) {
        let expiry = try? Date(
            grant.accessTokenExpiresAt, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let skew = date.map { now.timeIntervalSince($0) } ?? 0
        self.init(
            identity: SessionIdentity(
                server: server.address, insecureHTTP: server.insecureHTTP, account: grant.account, device: grant.device,
                epoch: grant.epoch),
            state: .active(
                tokens: Tokens(
                    access: grant.accessToken, accessExpiresAt: expiry?.addingTimeInterval(skew),
                    refresh: grant.refreshToken)))
    }
}

extension Tokens {
    /// Whether the access token has ended, or ends so soon that a request may arrive too late with it.
    func isNearExpiry(at now: Date) -> Bool {
        guard let accessExpiresAt else { return false }
        return now.addingTimeInterval(Self.leeway) >= accessExpiresAt
    }

    /// In seconds.
    private static let leeway: TimeInterval = 30
}
