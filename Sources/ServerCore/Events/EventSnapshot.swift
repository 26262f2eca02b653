internal import Crypto
internal import SyncAPI

/// The versions of an account's spaces at one moment, of which a stream sends the new ones; a pure value.
struct EventSnapshot: Sendable, Equatable {
    /// The database's epoch.
    var epoch: String
    /// The version of each space, by its id.
    var versions: [String: Int64]

    /// The events for a reader that knows `known`; nil: one that knows nothing. In order of the spaces' ids.
    func events(since known: EventSnapshot?) -> [ChangeEvent] {
        // The state after each event, so that its id represents what its reader knows then.
        var reported = EventSnapshot(epoch: epoch, versions: [:])
        if let known, known.epoch == epoch { reported.versions = known.versions.filter { versions[$0.key] != nil } }
        var events: [ChangeEvent] = []
        for (space, version) in versions.sorted(by: { $0.key < $1.key }) where reported.versions[space] != version {
            reported.versions[space] = version
            events.append(
                ChangeEvent(space: space, cursor: Cursor(epoch: epoch, position: version).text, id: reported.id))
        }
        return events
    }

    /// Represents all versions in a constant size: a reader that names it has missed nothing.
    var id: String {
        let text = versions.sorted { $0.key < $1.key }.reduce(into: epoch) { $0 += "\n\($1.key) \($1.value)" }
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }
}
