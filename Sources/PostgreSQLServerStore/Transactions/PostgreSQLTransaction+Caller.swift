internal import Foundation
internal import Records
internal import ServerCore
internal import SyncAPI

/// What was read together for a request, since it was announced.
struct Announcement {
    var caller: AnnouncedCaller?
    /// The hash of an announced token that isn't stored.
    var missingToken: [UInt8]?
    var role: AnnouncedRole?
    var lock: AnnouncedLock?
    var space: SpaceRow?
}

/// The caller of a request, of which everything was read together.
struct AnnouncedCaller {
    let session: StoredSession
    let account: StoredAccount
    /// Nil if it wasn't announced.
    var token: StoredToken?
    /// Nil if they weren't announced.
    var outcomeBytes: Int64?
}

/// The role of an account in a space, which was read together with others; nil: it has none.
struct AnnouncedRole {
    let account: String
    let space: String
    let role: Role?
}

/// The row of a space that was locked together with other reads; nil: it is locked by others, or there is none.
struct AnnouncedLock {
    let space: String
    let row: SpaceRow?
}

/// The digests of collections of a space.
struct AnnouncedDigests {
    let space: String
    /// Those of all announced collections.
    var values: [String: SpaceDigest]
}

extension PostgreSQLTransaction {
    func willReadCaller(token hash: [UInt8], space: String?) throws {
        announcement = Announcement()
        let row = try connection.executeOnly(Self.callerQuery, [.bytes(hash), SQLValue(space)]).first
        guard let row else {
            announcement.missingToken = hash
            return
        }
        let session = row.dropFirst(StoredToken.columnCount)
        let account = session.dropFirst(StoredSession.columnCount)
        let found = AnnouncedCaller(
            session: try StoredSession(session), account: StoredAccount(account),
            token: try StoredToken(hash: hash, row))
        announcement.caller = found
        if let space {
            try noteRole(of: found.account.id, in: space, account.dropFirst(StoredAccount.columnCount))
        }
    }

    func willReadSpace(_ id: String, by account: String) throws {
        announcement = Announcement()
        let row = try connection.execute(Self.spaceQuery, [.text(id), .text(account)]).first
        try noteRole(of: account, in: id, row)
        announcement.space = try row.map { try SpaceRow(id: id, $0.dropFirst(2)) }
        knownEpoch = row?.dropFirst(2 + SpaceRow.columnCount).optionalText(0) ?? knownEpoch
    }

    func willReadRecord(_ key: RecordKey, in space: String, by account: String) throws {
        announcement = Announcement()
        let row = try connection.executeOnly(
            RecordStatement.withRole, [.text(space), .text(account), .text(key.collection), .text(key.id)]
        ).first
        try noteRole(of: account, in: space, row)
        announcement.space = try row.map { try SpaceRow(id: space, $0.dropFirst(2)) }
        let found = row?.dropFirst(2 + SpaceRow.columnCount)
        let record: RawRecord? = found.flatMap { $0.isNull(0) ? nil : RawRecord($0) }
        var read = Self.announced([key], in: space)
        read.versions.updateValue(record?.version, forKey: key)
        read.records[key] = record
        announced = read
    }

    func willChange(_ keys: [RecordKey], in space: String, session: String) throws {
        announcement = Announcement()
        // As in `lockSpace`, which gets the answer.
        lockedSpace = space
        let collections = Set(keys.map(\.collection)).sorted()
        let statements: [(sql: String, values: [SQLValue])] = [
            (Self.sessionQuery, [.text(session), .text(space)]), (Self.lockQuery, Self.lockValues(of: space)),
            (Self.digestsQuery, [.text(space), .texts(collections)]),
        ]
        let answers = try connection.executeTogether(statements)
        if let row = answers[0].first {
            let account = row.dropFirst(StoredSession.columnCount)
            let membership = account.dropFirst(StoredAccount.columnCount)
            let found = AnnouncedCaller(
                session: try StoredSession(row), account: StoredAccount(account), outcomeBytes: membership.int(2))
            announcement.caller = found
            try noteRole(of: found.account.id, in: space, membership)
        }
        announcement.lock = AnnouncedLock(space: space, row: try answers[1].first.map { try spaceRow($0, of: space) })
        var digests = AnnouncedDigests(space: space, values: [:])
        for collection in collections { digests.values[collection] = SpaceDigest() }
        for (collection, digest) in try answers[2].map(Self.collectionAndDigest) { digests.values[collection] = digest }
        announcedDigests = digests
    }

    /// Returns the collection and the digest of a row.
    private static func collectionAndDigest(_ row: SQLRow) throws -> (collection: String, digest: SpaceDigest) {
        (row.text(0), try SpaceDigest(stored: row.text(1)))
    }

    /// Keeps the number of a space and the role of an account in it, the first columns of a row; nil: there is no such space.
    private func noteRole(of account: String, in space: String, _ row: SQLRow?) throws {
        note(number: row?.optionalInt(0), of: space)
        let role = try row.flatMap { try $0.optionalText(1).map { try Role(stored: $0) } }
        announcement.role = AnnouncedRole(account: account, space: space, role: role)
    }

    // Each row is found by the primary key or a unique index, also in tables without statistics.

    static let callerQuery = """
        SELECT \(StoredToken.columns), \(callerColumns)
        FROM tokens JOIN sessions ON sessions.id = tokens.session AND NOT sessions.ended \(ofSession)
        WHERE tokens.hash = $1
        """

    static let sessionQuery = """
        SELECT \(callerColumns), accounts.outcome_bytes FROM sessions \(ofSession)
        WHERE sessions.id = $1 AND NOT sessions.ended
        """

    static let spaceQuery = """
        SELECT \(RecordStatement.membership), (SELECT value FROM meta WHERE name = 'epoch')
        FROM \(RecordStatement.memberOfSpace) WHERE spaces.id = $1
        """

    static let digestsQuery = """
        SELECT collection, digest FROM digests
        WHERE space = (SELECT number FROM spaces WHERE spaces.id = $1) AND collection = ANY($2)
        """

    private static let callerColumns = """
        \(qualified(StoredSession.columns, by: "sessions")), \(qualified(StoredAccount.columns, by: "accounts")),
          spaces.number, members.role
        """

    /// The account of a session, and its membership of the space `$2`.
    private static let ofSession = """
        JOIN accounts ON accounts.id = sessions.account LEFT JOIN spaces ON spaces.id = $2
          LEFT JOIN members ON members.account = accounts.id AND members.space = spaces.number
        """

    private static func qualified(_ columns: String, by table: String) -> String {
        names(columns).map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// Returns the names of columns that a list separates by commas.
    static func names(_ columns: String) -> [String] {
        columns.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }
}

extension StoredToken {
    fileprivate static let columnCount = PostgreSQLTransaction.names(columns).count
}

extension StoredSession {
    fileprivate static let columnCount = PostgreSQLTransaction.names(columns).count
}

extension StoredAccount {
    fileprivate static let columnCount = PostgreSQLTransaction.names(columns).count
}
