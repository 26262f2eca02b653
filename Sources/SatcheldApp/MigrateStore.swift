import ArgumentParser
import Foundation
import SQLiteServerStore
import ServerCore

/// The command `satcheld migrate-store`.
struct MigrateStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Moves all data to another kind of storage. No server may be running.",
        discussion: """
            A place is `sqlite:DIRECTORY`, the data directory of a server, or `postgres://USER@HOST/DATABASE`. It works in both \
            directions, and between two of a kind. Stop all servers first: the command keeps them out while it runs.

            Everything is moved: accounts, devices, records with their versions and former states, the results of the last \
            requests, invitations, quotas, throttles and the epoch. Devices notice nothing. The target must be empty, and \
            is compared with the source at the end.

            If it is interrupted, servers and commands refuse the target until the command has been run again. Once \
            everything is moved, the source keeps its data, and servers and commands refuse it. To go back, move the data \
            to an empty database or a new directory.

            If the connection to PostgreSQL is lost, the command stops and writes nothing more, since a server may have connected \
            meanwhile. Its message describes the state of both stores and what to do.

            The exit code is 0 if everything was moved, 1 if the command was refused or has stopped, and 2 if the command \
            line is wrong.
            """)

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "The place of the data. Put its password into a password file (PGPASSFILE).", valueName: "place"))
    var source: MovedPlace

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp(
            "The place to which the data is moved: an empty database, or a directory without one.", valueName: "place"))
    var target: MovedPlace

    func validate() throws {
        guard source.name != target.name else { throw ValidationError("both places are \(source.name)") }
    }

    func run() async throws {
        try await explained {
            // The files of a data directory are readable by this user only, as those of `serve`.
            umask(0o077)
            try source.setting.checkHasDatabase()
            try await source.opened(as: .moveSource) { source in
                try await target.opened(as: .moveTarget) { target in
                    let audit = OwnerAudit(
                        .storeMoved, by: Operator.name, at: ServerEnvironment.live.now(),
                        details: ["source": source.name])
                    let digests = try await StoreMove(from: source, to: target, audit: audit.stored).run { digest in
                        print("satcheld: copied \(digest.table) (\(digest.rows))")
                    }
                    let rows = digests.reduce(0) { $0 + $1.rows }
                    print("satcheld: moved everything (\(rows) rows, compared) to \(target.name)")
                }
            }
            print("satcheld: \(target.advice); servers and commands refuse \(source.name) from now on")
        }
    }
}

/// A place of `migrate-store`: a data directory, or the address of a database.
struct MovedPlace: ExpressibleByArgument, Sendable {
    let setting: StoreSetting
    /// The place without a password.
    let name: String

    init?(argument: String) {
        guard let place = MovedPlace(argument) else { return nil }
        self = place
    }

    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        let isSQLite = parts[0].lowercased() == StoreSetting.sqlite
        guard isSQLite || text.contains("://") else { return nil }
        let directory = URL(filePath: isSQLite ? String(parts[1]) : "", directoryHint: .isDirectory)
        setting = StoreSetting(
            address: isSQLite ? StoreSetting.sqlite : text, data: directory, connections: Self.connections)
        name = isSQLite ? "\(StoreSetting.sqlite):\(directory.standardizedFileURL.path)" : setting.shown
    }

    /// One for reads, one for writes.
    private static let connections = 2

    static var defaultCompletionKind: CompletionKind { .directory }

    /// What the owner does to use the place.
    var advice: String {
        setting.isSQLite ? "start the server with --data '\(setting.data.path)'" : "start servers with --store \(name)"
    }

    /// Opens the store as the source or the target of a move, passes it to `body`, and closes it.
    func opened(as use: StoreUse, _ body: (StoreMove.Place) async throws -> Void) async throws {
        let store = try await setting.open(for: use)
        let result: Result<Void, any Error>
        do { result = .success(try await body(StoreMove.Place(store, name: name))) } catch { result = .failure(error) }
        _ = try await store.shutDown(within: ServerApp.closing)
        try result.get()
    }
}
