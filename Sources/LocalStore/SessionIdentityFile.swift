internal import Backend
internal import Foundation
internal import GRDB

/// Whose home it is and which device, as its session file tells.
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
        // Not `state()`: a row that is missing is no reason not to open the file; `doctor` mends it.
        let row = try Row.fetchOne(db, sql: "SELECT remote FROM spaces WHERE number = ?", arguments: [Cache.personal])
        guard let row else { return false }
        let remote: String? = row["remote"]
        return try remote == nil || (remote == session.space && meta(.device) != session.device)
    }

    /// Lets a cache of nobody belong to the account, and be the device, that its home was before. A copy of another
    /// device's cache becomes this device's: the server notes the session's device as the one that makes its edits.
    func adopt(_ session: SessionIdentityFile) throws {
        try setMeta(.device, session.device)
        try account.bind(remote: session.space, username: session.username, server: session.server)
    }
}
