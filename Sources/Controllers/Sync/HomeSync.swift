internal import Backend
internal import ControllerKit
internal import LocalStore
internal import Records
public import SyncEngine

/// The sync of a home: its service, who else syncs, and the messages that no one has seen yet.
public struct HomeSync: Sendable {
    let store: LocalStore
    let backend: BackendClient
    let gate: SyncGate
    let service: SyncService
    let devices: DeviceNames
    /// What syncs without being asked.
    public let automatic: AutomaticSync

    /// Syncs now, and waits for another process that syncs.
    func sync(_ show: @escaping @Sendable (WorkProgress) -> Void) async throws -> SyncResult {
        try await service.sync(waiting: true) { show(WorkProgress($0)) }
    }

    /// The session, also if another process has signed in or out.
    func session() async throws(BackendError) -> SessionStatus {
        try await backend.session.reload()
        return try await backend.session.status()
    }

    // MARK: News

    /// The messages about automatic syncs: now and whenever there are new ones, each once, in the process that asks
    /// first. Ends with the reading task.
    public func news() -> AsyncStream<String> {
        AsyncStream { continuation in
            let watch = Task {
                for await _ in store.changes() {
                    // What can't be read now is shown later.
                    if let news = try? await newsToShow() { continuation.yield(news) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// The messages that were not shown yet, each once; nil: none.
    public func newsToShow() async throws -> String? {
        let sentences = try await newSentences()
        return sentences.isEmpty ? nil : "Sync: " + sentences.joined(separator: " ")
    }

    /// News that the person has not seen yet, as sentences. The news counts as seen afterwards, so the caller must show
    /// it.
    func newSentences() async throws -> [String] {
        let end = try await newSessionEnd().map { BackendError.signedOut($0).message }
        return try await removeNews().sentences + [end].compactMap(\.self)
    }

    /// Why the server has ended the session, if that hasn't been reported to the person yet.
    private func newSessionEnd() async throws -> SessionEnd? {
        let status = try await store.read { try SyncStatus.stored(in: $0) }
        // Another process may have detected it.
        if status.failure?.kind == .signedOut { try await backend.session.reload() }
        guard case .ended(_, let end) = try await backend.session.status(), end != .loggedOut, end != status.reportedEnd
        else { return nil }
        // If several processes check at the same time, only one reports it.
        return try await store.write { cache in
            if try SyncStatus.stored(in: cache).reportedEnd == end { return nil }
            try SyncStatus.update(in: cache) { $0.reportedEnd = end }
            return end
        }
    }

    /// Removes the unreported news from the cache and returns it; the caller must show it.
    func removeNews() async throws -> SyncStatus.News {
        // Read first: a write would notify all observers of the cache.
        guard try await store.read({ try SyncStatus.stored(in: $0).news != nil }) else { return SyncStatus.News() }
        return try await store.write { try SyncStatus.removeNews(in: $0) }
    }
}

/// The automatic sync, as far as this process knows it.
public enum AutomaticSync: Sendable {
    /// Only `sync` syncs.
    case manual
    /// A process in the background, which is started after a command that has edited something.
    case afterwards
    /// This process, while its session is open.
    case live(AutoSync)

    /// Whether that will happen, with these settings.
    func isThere(_ settings: SyncSettings) -> Bool {
        switch self {
        case .manual: false
        case .afterwards: settings.isAutomatic && settings.isInBackground
        case .live: settings.isAutomatic
        }
    }
}
