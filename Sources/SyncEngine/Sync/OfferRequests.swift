package import Backend
package import LocalStore
internal import Records
internal import SyncAPI

extension ServerOffer {
    /// Returns what the account's server has announced; nil: it was not asked yet. What another version of this program
    /// stored, and can't be decoded, counts as none.
    package static func stored(in cache: Cache) throws -> ServerOffer? {
        guard let stored = try cache.account.serverOffer() else { return nil }
        // The next question replaces it.
        return try? JSONBody.decode(ServerOffer.self, from: Array(stored.text.utf8))
    }

    /// Stores what the account's server has just announced, for all processes of the home.
    package func store(in cache: Cache) throws {
        try cache.account.setServerOffer(JSONValue(parsing: JSONBody.encode(self)))
    }
}

// When the server is asked again what it can do: once a day, after a sync, and when it refuses a push as too large. No
// other sync has a further request.
extension SyncEngine {
    /// Returns the limits of requests to the server, as far as they are known.
    func requestLimits() throws -> RequestLimits {
        RequestLimits(try store.readNow { try ServerOffer.stored(in: $0) })
    }

    /// Asks the server what it can do, unless the home has its answer of the last day.
    func fetchOfferIfDue() async {
        // Errors are ignored: the offer only makes syncs cheaper, and the next sync asks again.
        guard (try? store.readNow { try $0.account.isServerOfferDue() }) == true else { return }
        try? await fetchOffer()
    }

    /// Asks for the limits again, once in a sync, when the server has refused a batch as too large: it may have been
    /// replaced by a version with lower ones.
    func updateLimits(after error: BackendError, in run: inout SyncRun) async {
        guard !run.hasFetchedOffer, case .split = Refusal.of(error, isPush: true) else { return }
        run.hasFetchedOffer = true
        // Without an answer, the batch is halved, which leads to the same result with more requests.
        try? await fetchOffer()
        if let limits = try? requestLimits() { run.limits = limits }
    }

    private func fetchOffer() async throws {
        let offer = try await backend.offer()
        try store.writeNow { try offer.store(in: $0) }
    }
}
