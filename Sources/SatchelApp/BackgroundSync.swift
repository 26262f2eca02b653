import Controllers
import Foundation
import LocalStore
import Notebook
import Processes
import Records
import SyncEngine

/// What a process may sync without being asked.
struct Automation {
    /// Whether anything at all: `SATCHEL_SYNC=manual` is for scripts and tests that want to say when.
    let isAllowed: Bool
    /// The intervals of the automatic sync.
    let timing: SyncSchedule.Timing

    /// - Parameter environment: `SATCHEL_SYNC`, and `SATCHEL_POLL_SECONDS`: how often to ask a server that reports nothing by
    ///   itself.
    init(environment: [String: String]) {
        isAllowed = environment["SATCHEL_SYNC"] != "manual"
        var timing = SyncSchedule.Timing()
        if let seconds = environment["SATCHEL_POLL_SECONDS"].flatMap({ Int($0) }), seconds > 0 {
            timing.poll = .seconds(seconds)
        }
        self.timing = timing
    }

    /// Lets the services sync by themselves: in a session as long as it is open, after a single command in another process.
    func automating(_ services: Services, isSession: Bool) -> Services {
        guard isAllowed else { return services }
        return services.syncing(
            isSession ? .live(AutoSync(services.syncService, backend: services.backend, timing: timing)) : .afterwards)
    }
}

extension AutomaticSync {
    /// Syncs automatically while `body` runs; the sync has ended when this returns.
    @MainActor
    func during<Result: Sendable>(_ body: @MainActor () async throws -> Result) async rethrows -> Result {
        guard case .live(let automatic) = self else { return try await body() }
        let life = Task { await automatic.run() }
        do {
            let result = try await body()
            await Self.end(life)
            return result
        } catch {
            await Self.end(life)
            throw error
        }
    }

    private static func end(_ life: Task<Void, Never>) async {
        life.cancel()
        await life.value
    }
}

/// Leaves unsent edits, and receiving changes after a long time, to a background process.
struct BackgroundLaunch {
    private let services: Services
    private let program: DetachedProgram
    private let lock: FileLock
    private let before: String?

    /// Looks at the home before anything is done to it.
    ///
    /// - Parameter certificates: the file of certificates to trust, which is passed to the background process.
    init(_ services: Services, home: Home, certificates: String?) async throws {
        self.services = services
        lock = home.backgroundLock
        before = try await services.store.read { try $0.outbox.newestUnsentEdit() }
        // It starts elsewhere: a relative path would mean another file.
        let trusted = certificates.map { ["--ca-file", URL(fileURLWithPath: $0).path] } ?? []
        program = .same(arguments: ["--home", home.directory.path, "--background-sync"] + trusted)
    }

    /// Starts the background process if there is something for it to do. A failure to start it is not a failure of the
    /// command: the edits are kept, and `status` shows them.
    func launchIfDue() async {
        let now = services.notebook.timestamp
        let before = before
        let isDue = try? await services.store.read { cache in
            guard try cache.replica.state().remote != nil else { return false }
            return BackgroundSync.isDue(
                before: before, after: try cache.outbox.newestUnsentEdit(), settings: try cache.settings.syncSettings(),
                status: try SyncStatus.stored(in: cache), now: now)
        }
        // The holder of the lock checks the home again after releasing it, and sees the edits made here.
        guard isDue == true, let free = try? lock.attempt() else { return }
        free.release()
        _ = try? program.start()
    }
}

extension BackgroundSync {
    /// The whole life of the other process. However things go, it ends: the kernel's alarm ends what hangs.
    static func run(in home: Home, _ services: Services) async throws {
        alarm(600)
        // A folder that a process stays in can't be unmounted.
        _ = chdir("/")
        let lock = home.backgroundLock
        let sync = BackgroundSync(
            services.syncService,
            lock: {
                guard let held = try lock.attempt() else { return nil }
                return { held.release() }
            })
        try await sync.run()
    }
}
