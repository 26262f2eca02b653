import ControllerKit
import Controllers
import Foundation
import LocalStore
import Notebook
import Processes
import Records
import SyncEngine

/// The settings of the automatic sync of a process.
struct Automation {
    /// Whether there is an automatic sync; `PREFIX_SYNC=manual` turns it off for scripts and tests.
    let isAllowed: Bool
    /// The intervals of the automatic sync.
    let timing: SyncSchedule.Timing

    /// - Parameter environment: May contain `PREFIX_SYNC`, and `PREFIX_POLL_SECONDS`, the interval of requests to a server
    ///   that doesn't report changes.
    init(_ client: ClientProgram, environment: [String: String]) {
        isAllowed = environment[client.program.variable("SYNC")] != "manual"
        var timing = SyncSchedule.Timing()
        if let seconds = environment[client.program.variable("POLL_SECONDS")].flatMap({ Int($0) }), seconds > 0 {
            timing.poll = .seconds(seconds)
        }
        self.timing = timing
    }

    /// Returns services that sync automatically: in a session while it is open, after a single command in another
    /// process.
    func automating(_ services: Services, isSession: Bool) -> Services {
        guard isAllowed else { return services }
        return services.syncing(
            isSession ? .live(AutoSync(services.syncService, backend: services.backend, timing: timing)) : .afterwards)
    }
}

extension AutomaticSync {
    /// Syncs automatically while `body` runs, and indexes the records that change if they are many; both have ended when
    /// this returns.
    @MainActor
    func during<Result: Sendable>(
        in notebook: Notebook, _ body: @MainActor () async throws -> Result
    ) async rethrows -> Result {
        guard case .live(let automatic) = self else { return try await body() }
        let life = Task {
            async let indexing: Void = Self.index(notebook)
            await automatic.run()
            await indexing
        }
        // Not `defer`, which can't await.
        do {
            let result = try await body()
            await Self.end(life)
            return result
        } catch {
            await Self.end(life)
            throw error
        }
    }

    private static func index(_ notebook: Notebook) async {
        for await _ in notebook.store.changes() {
            // An error is ignored: the next list or search indexes the records, and reports it.
            try? await notebook.updateIndexes()
        }
    }

    private static func end(_ life: Task<Void, Never>) async {
        life.cancel()
        await life.value
    }
}

/// Starts a background process for unsent edits, for receiving changes after a long time, and for indexing many changed
/// records.
struct BackgroundLaunch {
    private let services: Services
    private let program: DetachedProgram
    private let lock: FileLock
    private let before: String?

    /// Creates a launch. The newest unsent edit is read now, before the command makes others.
    ///
    /// - Parameters:
    ///   - certificates: The file of certificates to trust, which is passed to the background process.
    ///   - settings: The file of settings of the command line, which is passed, too; nil: none.
    init(_ services: Services, home: Home, certificates: String?, settings: String?) async throws {
        self.services = services
        lock = home.backgroundLock
        before = try await services.store.read { try $0.outbox.newestUnsentEdit() }
        // The background process changes its working directory, so the paths must be absolute.
        let files = [("--ca-file", certificates), ("--config", settings)].flatMap { option, path in
            path.map { [option, URL(fileURLWithPath: $0).path] } ?? []
        }
        program = .same(arguments: ["--home", home.directory.path, "--background-sync"] + files)
    }

    /// Starts the background process if there is work for it. Errors are ignored: the edits are stored, and `status`
    /// shows them.
    func launchIfDue() async {
        let isDue = try? await services.notebook.read { try isSyncDue($0) || isIndexingDue($0) }
        // If the lock is held, its holder checks the home again after releasing it, and so sends the edits made here.
        guard isDue == true, let free = try? lock.attempt() else { return }
        // Only a check: the new process acquires the lock itself.
        free.release()
        _ = try? program.start()
    }

    private func isSyncDue(_ records: Notebook.Transaction) throws -> Bool {
        guard try records.cache.replica.state().remote != nil else { return false }
        return BackgroundSync.isDue(
            before: before, after: try records.cache.outbox.newestUnsentEdit(), settings: try records.syncSettings(),
            status: try records.syncStatus(), now: services.notebook.timestamp)
    }

    private func isIndexingDue(_ records: Notebook.Transaction) throws -> Bool {
        try records.syncSettings().isInBackground && records.isFarBehind()
    }
}

extension BackgroundSync {
    /// Runs the background process: indexes changed records if there are many, then syncs. It always ends: after ten
    /// minutes, SIGALRM ends it, and the kernel releases its lock.
    static func run(in home: Home, _ services: Services) async throws {
        alarm(600)
        // A file system with the working directory of a process can't be unmounted. An error doesn't matter.
        _ = chdir("/")
        let lock = home.backgroundLock
        // Before the sync: an edit that is made while the lock is held is then sent by it.
        if let held = try lock.attempt() {
            defer { held.release() }
            try await services.notebook.updateIndexes()
        }
        guard try await services.store.read({ try $0.replica.state().remote != nil }) else { return }
        let sync = BackgroundSync(
            services.syncService,
            lock: {
                guard let held = try lock.attempt() else { return nil }
                return { held.release() }
            })
        try await sync.run()
    }
}
