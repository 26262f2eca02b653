package import ServerCore

/// What the tests of each store expect in a database of a former schema: rows of the account `ada`, and the invites.
/// The databases of SQLite's first schemas don't have all of them.
package struct FormerRows: Sendable {
    package let ada: StoredAccount?
    package let session: StoredSession?
    package let token: StoredToken?
    package let outcome: StoredOutcome?
    package let proof: [UInt8]?
    package let resetHash: [UInt8]?
    /// The notes of the invites.
    package let invites: [String]

    package init(_ tx: any StoreReading) throws {
        ada = try tx.account(username: "ada")
        session = try tx.session(id: "session")
        token = try tx.token(hash: Array(repeating: 0xAB, count: 32))
        outcome = try tx.outcome(of: OutcomeKey(account: "ada-id", device: "laptop", key: "key"))
        proof = try tx.deviceProof(account: "ada-id", device: "laptop")
        resetHash = try tx.reset(account: "ada-id")?.codeHash
        invites = try tx.invites().map(\.note)
    }
}
