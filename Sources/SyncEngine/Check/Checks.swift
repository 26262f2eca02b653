internal import Backend
internal import LocalStore
internal import Records
internal import struct Records.Record
internal import SyncAPI

// Comparisons of the cache with the server; they change nothing.
extension SyncEngine {
    /// Compares the digests with one small request. Waits while another process of the home syncs.
    ///
    /// - Throws: `SyncFailure.noAccount`, `BackendError`, `LocalStoreError`, `MalformedAnswer`, `CancellationError`.
    public func checkDigest() async throws -> DigestCheck {
        try await alone { space, state in
            let answer: ReceivedPage
            do {
                // With changes after the cursor, the digests can't be compared. One record is enough to show that there
                // are any.
                answer = try await receive(space, since: state.cursor, limit: 1)
            } catch let error as BackendError {
                guard case .read(let read) = Refusal.of(error, isPush: false) else { throw error }
                return DigestCheck(agreement: .mustRead(read), serverTime: nil)
            }
            let page = answer.page
            var agreement = DigestCheck.Agreement.unseenChanges
            if state.cursor == nil || state.reading != nil {
                agreement = .reading
            } else if page.records.count == 0, answer.oversized.isEmpty, let digest = page.digest {
                agreement = digest == state.digest ? .equal : .different
            }
            return DigestCheck(agreement: agreement, serverTime: answer.serverTime)
        }
    }

    /// Reads the whole space and compares every record with the state of the server that the cache knows. Waits while
    /// another process of the home syncs.
    ///
    /// - Parameter progress: Receives the progress on the engine's executor, which it must not block.
    /// - Returns: The differences; nil: not everything was read yet, so there is nothing to compare.
    /// - Throws: The errors of `checkDigest`.
    public func compare(
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws -> CacheComparison? {
        try await alone { space, state in
            guard let cursor = state.cursor, state.reading == nil else { return nil }
            var comparison = CacheComparison()
            let held = try store.readNow { try $0.replica.keysSeenLive() }
            progress(SyncProgress(.comparing, 0, of: held.count))
            var (met, found): (Set<RecordKey>, [RecordKey: CacheComparison.Kind]) = ([], [:])
            try await readPages(of: space, since: nil) { records, oversized in
                comparison.compared += records.count
                for record in records {
                    met.insert(record.key)
                    let held = try store.readNow { try $0.cached(record.key)?.seen }
                    found[record.key] = .init(held: held, remote: record)
                }
                for key in oversized {
                    met.insert(key)
                    found[key] = .tooLarge
                }
                progress(SyncProgress(.comparing, comparison.compared, of: max(held.count, comparison.compared)))
            }
            for key in held where !met.contains(key) { found[key] = .missingThere }
            // Changes of others since the last sync, and those during the comparison, aren't cached yet, so they aren't
            // differences.
            try await readPages(of: space, since: cursor) { records, oversized in
                comparison.waiting += records.count + oversized.count
                for key in records.map(\.key) + oversized { found[key] = nil }
            }
            comparison.differences = found.map { .init($0.key, $0.value) }.sorted {
                ($0.key.collection, $0.key.id) < ($1.key.collection, $1.key.id)
            }
            return comparison
        }
    }

    private func alone<Result>(
        _ body: (_ space: RemoteSpace, _ state: SpaceState) async throws -> Result
    ) async throws -> Result {
        // The gate of a sync, so that none changes the cache during the comparison.
        let leave = try await gate.enter(waiting: true, clock: clock)
        isRunning = true
        defer {
            isRunning = false
            leave()
        }
        let state = try store.readNow { try $0.replica.state() }
        return try await body(RemoteSpace(state), state)
    }

    private func readPages(
        of space: RemoteSpace, since: String?, _ visit: (_ records: [Record], _ oversized: [RecordKey]) throws -> Void
    ) async throws {
        var (cursor, pages) = (since, PageSequence())
        let limit = try requestLimits().pageRecords
        while true {
            try Task.checkCancellation()
            let received = try await receive(space, since: cursor, limit: limit)
            let page = received.page
            try pages.add(page, since: cursor, without: received.oversized)
            try visit(page.records.records(), received.oversized.map(\.key))
            guard page.more else { return }
            cursor = page.cursor
        }
    }
}
