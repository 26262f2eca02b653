internal import CoreMetrics
internal import Foundation
internal import SQLiteServerStore
internal import ServerCore

#if PostgreSQL
    internal import PostgreSQLServerStore
#endif

/// The setting of a store, as `serve` and the commands of the owner have it.
struct StoreSetting: Sendable {
    /// `sqlite`, or the address of another store.
    let address: String
    /// The directory of the data, for a store of files.
    let data: URL
    /// Number of connections to a database server.
    let connections: Int

    /// The value for the database in the data directory.
    static let sqlite = "sqlite"

    /// The part of the address before `:`, or the whole.
    var scheme: String { address.prefix { $0 != ":" }.lowercased() }

    /// The address without a password.
    var shown: String {
        guard let end = address.range(of: "://")?.upperBound else { return address }
        let address = address.replacing(/([?&](?:ssl)?password=)[^&]*/, with: { "\($0.output.1)…" })
        let user = address[end...].prefix { $0 != "/" && $0 != "?" }
        guard let at = user.lastIndex(of: "@"), let colon = user[..<at].firstIndex(of: ":") else { return address }
        return address.replacingCharacters(in: colon..<at, with: ":…")
    }
}

/// A kind of store, which the scheme of the address selects.
struct StoreKind: Sendable {
    let schemes: Set<String>
    /// The form of an address with one of the schemes, for messages; nil: the scheme is the whole address.
    var addressForm: String?
    /// The tools for backups of the database server; nil: `satcheld backup` and `satcheld restore` are used.
    var tools: DatabaseTools?
    let open:
        @Sendable (_ setting: StoreSetting, _ use: StoreUse, _ metrics: (any MetricsFactory)?) async throws
            -> any ManagedServerStore

    /// The tools of a database server, as phrases for messages.
    struct DatabaseTools: Sendable {
        /// The name of the database server.
        let server: String
        /// How to make a backup, after “use”.
        let backup: String
        /// How to restore a backup, after “use”.
        let restore: String
        /// How to go back to the tables of the previous version of satcheld, as an imperative.
        let downgrade: String
    }

    /// All kinds. A new kind of store is added here.
    static let all: [StoreKind] = [sqlite, postgreSQL]

    private static let sqlite = StoreKind(schemes: [StoreSetting.sqlite]) { setting, use, metrics in
        switch use {
        case .server: try await SQLiteServerStore.open(directory: setting.data, files: .satcheld, metrics: metrics)
        case .command, .mark: try await SQLiteServerStore.openShared(directory: setting.data, files: .satcheld)
        case .moveTarget, .moveSource:
            try await SQLiteServerStore.openForMove(directory: setting.data, files: .satcheld, use: use)
        }
    }

    private static let postgreSQL = StoreKind(
        schemes: ["postgres", "postgresql"], addressForm: "postgres://USER@HOST/DATABASE",
        tools: DatabaseTools(
            server: "PostgreSQL", backup: "pg_dump, which works while servers run",
            restore: "pg_restore, and then satcheld restore --mark",
            downgrade: "load a dump (pg_dump) from before the upgrade")
    ) { setting, use, metrics in
        #if PostgreSQL
            return try await PostgreSQLServerStore.open(
                setting.address, connections: use == .server ? setting.connections : 2,
                reportsCommits: use == .command || use == .mark, use: use, metrics: metrics)
        #else
            throw SettingsError(
                "this satcheld was built without PostgreSQL; build it with libpq-dev and the package's default traits, or "
                    + "use --store \(StoreSetting.sqlite)")
        #endif
    }

    /// The names of the database servers that can be used, for messages.
    static var serverNames: String { all.compactMap(\.tools?.server).joined(separator: " or ") }
}

extension StoreSetting {
    /// Opens the store for a server.
    func open(metrics: (any MetricsFactory)?) async throws -> any ManagedServerStore {
        try await kind().open(self, .server, metrics)
    }

    /// Opens the store for a command of the owner, next to servers.
    func openShared() async throws -> any ManagedServerStore { try await open(for: .command) }

    /// Opens the store to mark it as restored, or for a move.
    func open(for use: StoreUse) async throws -> any ManagedServerStore { try await kind().open(self, use, nil) }

    /// Refuses a data directory without a database, in which one would be created: its name is probably wrong.
    func checkHasDatabase() throws {
        guard isSQLite else { return }
        guard FileManager.default.fileExists(atPath: data.appending(path: StoreFiles.satcheld.database).path) else {
            throw SettingsError("there is no database in \(data.path); name the data directory of the server")
        }
    }

    /// Returns the kind of the store.
    ///
    /// - Throws: `SettingsError` if the address is of no kind.
    func kind() throws -> StoreKind {
        // The database's file has a setting of its own.
        let isKnown = !isSQLite || address == Self.sqlite
        guard isKnown, let kind = StoreKind.all.first(where: { $0.schemes.contains(scheme) }) else {
            let forms = StoreKind.all.compactMap(\.addressForm).joined(separator: " or ")
            throw SettingsError(
                "the store is \(address.isEmpty ? "empty" : shown); it should be \(Self.sqlite), or an address such as "
                    + forms)
        }
        return kind
    }

    /// Whether the store is the database in the data directory.
    var isSQLite: Bool { scheme == Self.sqlite }
}
