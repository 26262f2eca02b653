import Controllers
import Foundation
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
