internal import Backend
internal import Foundation
internal import GRDB

/// The account and the device of the home, as its session file names them.
struct SessionIdentityFile {
    let device: String
    let space: String
    let username: String
    let server: String

    /// Nil where the file isn't there or can't be read.
    init?(_ file: URL) {
        guard let data = try? Data(contentsOf: file),
            let identity = try? JSONDecoder().decode(Credentials.self, from: data).identity
        else { return nil }
        device = identity.deviceID
        space = identity.personalSpace
        username = identity.username
        server = identity.server.description
    }
}

extension Cache {
    /// Whether the cache knows another device of this account as its own, or no account at all.
    func differs(from session: SessionIdentityFile) throws -> Bool {
        // Not `state()`: a missing row is no reason not to open the file; `doctor` repairs it.
        let row = try Row.fetchOne(db, sql: "SELECT remote FROM spaces WHERE number = ?", arguments: [Cache.personal])
        guard let row else { return false }
        let remote: String? = row["remote"]
        return try remote == nil || (remote == session.space && meta(.device) != session.device)
    }

    /// Assigns a cache without an account to the account and device that the home had before. A copy of another
    /// device's cache becomes this device's: the server records the session's device as the author of its edits.
    func adopt(_ session: SessionIdentityFile) throws {
        try setMeta(.device, session.device)
        try account.bind(remote: session.space, username: session.username, server: session.server)
    }
}
