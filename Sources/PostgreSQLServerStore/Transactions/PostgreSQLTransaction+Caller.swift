internal import Foundation
internal import ServerCore
internal import SyncAPI

/// The caller of a request, of which everything was read together.
struct AnnouncedCaller {
    let token: StoredToken
    let session: StoredSession
    let account: StoredAccount
    /// The space that was named, and the account's role in it.
    let space: String?
    let role: Role?
}

extension PostgreSQLTransaction {
    func willReadCaller(token hash: [UInt8], space: String?) throws {
        caller = try first(Self.callerQuery, [.bytes(hash), SQLValue(space)]) { row in
            let rest = row.dropFirst(StoredToken.columnCount + StoredSession.columnCount + StoredAccount.columnCount)
            if let space { note(number: rest.optionalInt(0), of: space) }
            return AnnouncedCaller(
                token: try StoredToken(hash: hash, row),
                session: try StoredSession(row.dropFirst(StoredToken.columnCount)),
                account: StoredAccount(row.dropFirst(StoredToken.columnCount + StoredSession.columnCount)),
                space: space, role: try rest.optionalText(1).map { try Role(stored: $0) })
        }
    }

    /// Each row is found by the primary key or a unique index, also in tables without statistics.
    static let callerQuery = """
        SELECT \(StoredToken.columns), \(qualified(StoredSession.columns, by: "sessions")),
          \(qualified(StoredAccount.columns, by: "accounts")), spaces.number, members.role
        FROM tokens JOIN sessions ON sessions.id = tokens.session AND NOT sessions.ended
          JOIN accounts ON accounts.id = sessions.account LEFT JOIN spaces ON spaces.id = $2
          LEFT JOIN members ON members.account = accounts.id AND members.space = spaces.number
        WHERE tokens.hash = $1
        """

    private static func qualified(_ columns: String, by table: String) -> String {
        names(columns).map { "\(table).\($0)" }.joined(separator: ", ")
    }

    fileprivate static func names(_ columns: String) -> [String] {
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
