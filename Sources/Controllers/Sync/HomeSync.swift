public import Backend
public import ControllerKit
public import LocalStore
public import Notebook
internal import Records
public import SyncEngine

/// The sync of a home, with the messages about automatic syncs that were not shown yet.
public struct HomeSync: Sendable {
    let store: LocalStore
    let backend: BackendClient
    let gate: SyncGate
    let service: SyncService
    let devices: DeviceNames
    /// The automatic sync of this process.
    public let automatic: AutomaticSync

    /// Syncs now. If another process is syncing, waits for it first.
    ///
    /// - Parameter show: Receives the progress, from any thread.
    /// - Throws: As `SyncEngine.sync`.
    public func sync(_ show: @escaping @Sendable (WorkProgress) -> Void) async throws -> SyncResult {
        try await service.sync(waiting: true) { show(WorkProgress($0)) }
    }

    /// Returns the session's status, read again: another process may have signed in or out.
    public func session() async throws(BackendError) -> SessionStatus {
        try await backend.session.reload()
        return try await backend.session.status()
    }

    /// Returns the session's status, and checks that its tokens can be read.
    public func checkedSession() async throws(BackendError) -> SessionStatus { try await backend.session.check() }

    /// Returns what the home stores about its last syncs.
    public func status() async throws -> SyncStatus { try await store.read { try SyncStatus.stored(in: $0) } }

    /// Returns the numbers of records with unsent edits.
    public func unsent() async throws -> UnsentCounts { try await store.read { try $0.outbox.unsent() } }

    /// Changes the settings of the automatic sync in one transaction.
    ///
    /// - Returns: The new settings.
    @discardableResult
    public func changeSettings(_ change: @escaping @Sendable (inout SyncSettings) -> Void) async throws -> SyncSettings
    {
        try await store.write { cache in
            var settings = try cache.settings.syncSettings()
            change(&settings)
            try cache.settings.setSyncSettings(settings)
            return settings
        }
    }

    // MARK: News

    /// Returns the messages about automatic syncs, the present ones and later ones. Each is returned once, to the first
    /// process that asks. The stream ends with the reading task.
    public func news() -> AsyncStream<String> {
        AsyncStream { continuation in
            let watch = Task {
                for await _ in store.changes() {
                    // An error is ignored: the messages stay in the cache and are shown later.
                    if let news = try? await newsToShow() { continuation.yield(news) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// Returns the messages that were not shown yet, as one text; nil: none. They count as shown afterwards, so the
    /// caller must show them.
    public func newsToShow() async throws -> String? {
        let sentences = try await newSentences()
        return sentences.isEmpty ? nil : "Sync: " + sentences.joined(separator: " ")
    }

    /// Returns the messages that were not shown yet, as sentences. They count as shown afterwards, so the caller must
    /// show them.
    public func newSentences() async throws -> [String] {
        // Before the news is removed: if this fails, the news is kept.
        let end = try await newSessionEnd().map { BackendError.signedOut($0).message }
        return try await removeNews().sentences + [end].compactMap(\.self)
    }

    /// Returns why the server ended the session, once; nil: it didn't, or that was already reported.
    private func newSessionEnd() async throws -> SessionEnd? {
        let status = try await status()
        // Another process may have learned it and stored it in the session file.
        if status.failure?.kind == .signedOut { try await backend.session.reload() }
        guard case .ended(_, let end) = try await backend.session.status(), end != .loggedOut, end != status.reportedEnd
        else { return nil }
        // Compared again in the write transaction: of several processes that check at the same time, one reports it.
        return try await store.write { cache in
            if try SyncStatus.stored(in: cache).reportedEnd == end { return nil }
            try SyncStatus.update(in: cache) { $0.reportedEnd = end }
            return end
        }
    }

    /// Removes the unreported news from the cache and returns it. The caller must show it.
    func removeNews() async throws -> SyncStatus.News {
        // Read first: a write would notify all observers of the cache.
        guard try await store.read({ try SyncStatus.stored(in: $0).news != nil }) else { return SyncStatus.News() }
        return try await store.write { try SyncStatus.removeNews(in: $0) }
    }
}

extension Notebook.Transaction {
    /// Returns what the home stores about its last syncs.
    public func syncStatus() throws -> SyncStatus { try SyncStatus.stored(in: cache) }

    /// Returns the settings of the automatic sync.
    public func syncSettings() throws -> SyncSettings { try cache.settings.syncSettings() }
}

/// The kind of automatic sync that this process has. New cases may be added.
public enum AutomaticSync: Sendable {
    /// Only `sync` syncs.
    case manual
    /// A background process, started after a command that edited something.
    case afterwards
    /// This process, while its session is open.
    case live(AutoSync)

    /// Whether edits are synced automatically with these settings.
    func isActive(with settings: SyncSettings) -> Bool {
        switch self {
        case .manual: false
        case .afterwards: settings.isAutomatic && settings.isInBackground
        case .live: settings.isAutomatic
        }
    }
}
