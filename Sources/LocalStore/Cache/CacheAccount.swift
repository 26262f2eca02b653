internal import Backend
internal import Foundation
internal import GRDB
package import Records

/// The account of a home, and the names of its devices. Edits name their device by its id, so names are optional.
package struct CacheAccount: CacheFacet {
    let cache: Cache
}

extension CacheAccount {
    /// Binds a space to its id on the server. If it is bound to that id already, only a new address of the server is
    /// stored.
    ///
    /// - Parameter server: The server's address; nil: unknown.
    /// - Throws: `LocalStoreError.otherAccount` if the home belongs to another account.
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

    /// Detaches a space from its account, so that it can be bound again; its contents are unchanged.
    package func unbind() throws {
        try execute("UPDATE spaces SET remote = NULL WHERE number = ?", [space])
    }

    /// Forgets the account after it was deleted. The home stays bound to its space, which no longer exists, so that the next
    /// account is known to have nothing of the records.
    package func release() throws {
        try setMeta(.username, nil)
        try setMeta(.server, nil)
    }

    /// Returns the user name of the account that the home belongs to; nil before the first sign-in, and after the account
    /// was deleted.
    package func owner() throws -> String? { try meta(.username) }

    /// Returns the address of the account's server; nil: unknown.
    package func server() throws -> String? { try meta(.server) }

    /// Returns what the account's server has announced about itself, as JSON of the engine; nil: it was not asked yet.
    package func serverOffer() throws -> JSONValue? { try meta(.serverOffer)?.object?["offer"] }

    /// Stores what the account's server has announced about itself now.
    package func setServerOffer(_ offer: JSONValue) throws {
        let stored: JSONValue = ["askedAt": .integer(now), "offer": offer]
        try setMeta(.serverOffer, stored)
    }

    /// Returns whether the server is to be asked what it can do: it wasn't for a day, or this device's clock was set back.
    package func isServerOfferDue() throws -> Bool {
        guard let askedAt = try meta(.serverOffer)?.object?["askedAt"]?.integer, askedAt >= 0 else { return true }
        return askedAt > now || now - askedAt >= Self.offerLifetime
    }

    /// The time after which a server may have been replaced by another version, in milliseconds.
    static let offerLifetime: Int64 = 24 * 3_600_000

    /// This device's clock, in milliseconds since 1970.
    private var now: Int64 { Int64(clamping: cache.wall()) }

    /// Returns the name that the user has given to this device; nil: none was given.
    package func chosenDeviceName() throws -> String? { try meta(.deviceName) }

    /// Stores the name that the user has given to this device.
    package func setChosenDeviceName(_ name: String) throws { try setMeta(.deviceName, name) }

    /// The longest name of a device that is stored, in bytes: the protocol's limit.
    static let deviceNameBytes = 256

    /// Returns the names of devices by id, as far as this home has received them.
    package func deviceNames() throws -> [String: String] {
        let rows = try Row.fetchAll(db.cachedStatement(sql: "SELECT id, name FROM devices"))
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["id"], $0["name"]) })
    }

    /// Stores names of devices by id; devices that aren't named keep their names.
    package func save(deviceNames names: [String: String]) throws {
        for (id, name) in names {
            // Bounds what a faulty server can make this home store.
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

    /// Reads the identity from a session file; nil: the file doesn't exist or can't be read.
    init?(_ file: URL) {
        // An unreadable session doesn't prevent opening the cache: `FileCredentialStore.load` reports it.
        guard let data = try? Data(contentsOf: file),
            let identity = try? JSONDecoder().decode(Credentials.self, from: data).identity
        else { return nil }
        device = identity.deviceID
        space = identity.personalSpace
        username = identity.username
        server = identity.server.description
    }
}

extension CacheAccount {
    /// Returns whether the cache has no account, or is another device's cache of the session's account.
    func differs(from session: SessionIdentityFile) throws -> Bool {
        // Not `state()`, which throws if the row is missing: the file must open, so that `doctor` can repair it.
        let row = try Row.fetchOne(db, sql: "SELECT remote FROM spaces WHERE number = ?", arguments: [Cache.personal])
        guard let row else { return false }
        let remote: String? = row["remote"]
        return try remote == nil || (remote == session.space && meta(.device) != session.device)
    }

    /// Assigns a cache without an account to the account and device that the home had before. A copy of another
    /// device's cache becomes this device's: the server records the session's device as the author of its edits.
    func adopt(_ session: SessionIdentityFile) throws {
        try setMeta(.device, session.device)
        try bind(remote: session.space, username: session.username, server: session.server)
    }
}
