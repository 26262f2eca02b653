internal import Backend
internal import Foundation
internal import GRDB

/// The account that a home belongs to, and its devices. An edit names its device by id; names are never required.
package struct CacheAccount: CacheFacet {
    let cache: Cache
}

extension CacheAccount {
    /// Binds a space to its id on the server. Where that is bound already, only a new address of the server is kept.
    ///
    /// - Parameter server: the server's address; nil: unknown.
    /// - Throws: `LocalStoreError.otherAccount` if the home belongs to another one.
    package func bind(
        remote: String, username: String, server: String? = nil
    ) throws {
        let bound = try cache.replica.state().remote
        if let bound, bound != remote { throw LocalStoreError.otherAccount(username: try meta(.username) ?? "?") }
        let isMoved = try server != nil && meta(.server) != server
        if bound != nil, !isMoved { return }
        if let refusal { throw refusal }
        if isMoved { try setMeta(.server, server) }
        if bound != nil { return }
        try setMeta(.username, username)
        try execute("UPDATE spaces SET remote = ? WHERE number = ?", [remote, space])
    }

    /// Detaches a space from its account, so that it can be bound again; its content is unchanged.
    package func unbind() throws {
        try execute("UPDATE spaces SET remote = NULL WHERE number = ?", [space])
    }

    /// The account that the home belongs to; nil before the first sign-in.
    package func owner() throws -> String? { try meta(.username) }

    /// The address of the server that the account is on; nil: unknown.
    package func server() throws -> String? { try meta(.server) }

    /// The name that the person has given to this device; nil if none was given.
    package func chosenDeviceName() throws -> String? { try meta(.deviceName) }

    /// Stores the name that the person has given to this device.
    package func setChosenDeviceName(_ name: String) throws { try setMeta(.deviceName, name) }

    /// How many bytes of a device's name are kept.
    static let deviceNameBytes = 256

    /// The names of devices by id, as far as this home has heard them.
    package func deviceNames() throws -> [String: String] {
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name FROM devices"))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["id"], $0["name"]) })
    }

    /// Keeps what devices are called; those that aren't among them keep the names they had.
    package func learn(deviceNames names: [String: String]) throws {
        for (id, name) in names {
            let kept = String(decoding: name.utf8.prefix(Self.deviceNameBytes), as: UTF8.self)
            try execute("INSERT OR REPLACE INTO devices VALUES (?, ?)", [id, kept])
        }
    }
}

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
