internal import Backend
internal import LocalStore
internal import Records
public import SyncEngine

/// The message about a requested sync, and whether every record was synced.
public struct SyncReport: Sendable, Equatable {
    /// What the sync did, with the messages about automatic syncs that were not shown before.
    public let message: String
    /// Whether every record could be sent and received; otherwise `message` says how many could not.
    public let isComplete: Bool
}

extension HomeSync {
    /// Returns the report of a sync that `sync` has returned. Its messages count as shown afterwards, so the caller
    /// must show them.
    ///
    /// - Throws: `LocalStoreError`.
    public func report(on result: SyncResult) async throws -> SyncReport {
        let counts = try await store.read { try ReportedCounts(in: $0) }
        // Errors of both are ignored: the sync succeeded, and the next one shows what was not shown.
        let news = try? await removeNews()
        let resolvedElsewhere = try? await store.write { try $0.conflicts.countNewlyResolvedElsewhere() }
        let message = result.message(
            counts, resolvedElsewhere: resolvedElsewhere ?? 0, news: news ?? SyncStatus.News())
        return SyncReport(message: message, isComplete: counts.refused + counts.oversized == 0 && result.refusal == nil)
    }
}

/// The numbers that a report states in addition to the result of a sync.
private struct ReportedCounts: Sendable {
    /// The number of records that the server refused, in this sync or an earlier one.
    let refused: Int
    /// The number of records that are too large on the server to be received here.
    let oversized: Int
    /// The number of open conflicts.
    let openConflicts: Int

    init(in cache: Cache) throws {
        refused = try cache.outbox.unsent().refused
        oversized = try cache.replica.oversized().count
        openConflicts = try cache.conflicts.openCount()
    }
}

extension SyncResult {
    /// Returns a message about what the sync did.
    ///
    /// - Parameters:
    ///   - resolvedElsewhere: The number of conflicts with an edit of this device that another device resolved, without
    ///     those that an earlier sync reported.
    ///   - news: Messages of earlier syncs that were not shown yet.
    fileprivate func message(_ counts: ReportedCounts, resolvedElsewhere: Int, news: SyncStatus.News) -> String {
        var parts: [String] = []
        // The records of conflicts have a message of their own.
        let (sent, received) = (pushed - pushedDerived, pulled - pulledDerived)
        if sent > 0 { parts.append("sent \(sent)") }
        if received > 0 { parts.append("received \(received)") }
        if merged > 0 { parts.append("merged \(merged)") }
        let isWhole = counts.refused + counts.oversized == 0 && refusal == nil
        let whole = isWhole ? "Everything is in sync." : "Everything else is in sync."
        let done = parts.isEmpty ? whole : "Synced: " + parts.joined(separator: ", ") + "."
        var fresh = SyncStatus.News(self)
        // A conflict that another device has already resolved is created and closed in the same sync.
        fresh.conflicts = min(conflicts, counts.openConflicts)
        var all = news
        all.add(fresh)
        // The total already includes the refused records in the news.
        all.refused = counts.refused
        let rest = [
            refusal?.message, Self.message(oversized: counts.oversized),
            Self.message(resolvedElsewhere: resolvedElsewhere),
        ]
        return ([done] + all.sentences + rest.compactMap(\.self)).joined(separator: " ")
    }

    private static func message(oversized: Int) -> String? {
        oversized == 0
            ? nil
            : "\(oversized == 1 ? "1 record was" : "\(oversized) records were") too large to be received: see `status`."
    }

    private static func message(resolvedElsewhere: Int) -> String? {
        resolvedElsewhere == 0
            ? nil
            : "\(resolvedElsewhere == 1 ? "1 conflict was" : "\(resolvedElsewhere) conflicts were") resolved on another "
                + "device: see `conflicts --resolved`."
    }
}

extension SyncStatus.News {
    /// The messages for the user.
    var sentences: [String] {
        var sentences: [String] = []
        if conflicts > 0 { sentences.append("\(conflicts.counted("new conflict")): see `conflicts`.") }
        if revived > 0 {
            sentences.append(
                "Restored \(revived.counted("record")) that you deleted: another device edited "
                    + "\(revived == 1 ? "it" : "them").")
        }
        if refused > 0 {
            sentences.append("The server refused \(refused.counted("record")): see `status`.")
        }
        for reason in fullReads.compactMap(\.reason) where !sentences.contains(reason) { sentences.append(reason) }
        return sentences
    }
}

extension FullRead {
    /// The reason of a full read, for the user; nil for a first read and for additional collections, since nothing went
    /// wrong.
    fileprivate var reason: String? {
        switch self {
        case .first, .resync(.additionalCollections): nil
        case .resync(.cursorExpired): "This device was offline for so long that everything was read again."
        case .resync(.digestMismatch):
            "This device and the server held different records, so everything was read again."
        // The server's database is another one or a new one, or the account was deleted: a device can't know which.
        case .restored(shared: 0):
            "The account on the server didn't have the records that this device had synced before: it is a new account, or "
                + "the server has lost its data. This device has kept them and sends them again."
        case .restored:
            "The server was restored from a backup; this device has kept the records that it had lost and sends them again."
        }
    }
}
