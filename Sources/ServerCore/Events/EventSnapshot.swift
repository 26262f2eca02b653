internal import Crypto

/// The versions of an account's spaces at one moment, of which a stream tells what is new; a pure value.
struct EventSnapshot: Sendable, Equatable {
    /// The database's epoch.
    var epoch: String
    /// The version of each space, by its id.
    var versions: [String: Int64]

    /// What a reader is told who knows `known`; nil: who knows nothing. In order of the spaces' ids.
    func events(since known: EventSnapshot?) -> [ChangeEvent] {
        // What is told so far, so that each event's id stands for what its reader knows then.
        var told = EventSnapshot(epoch: epoch, versions: [:])
        if let known, known.epoch == epoch { told.versions = known.versions.filter { versions[$0.key] != nil } }
        var events: [ChangeEvent] = []
        for (space, version) in versions.sorted(by: { $0.key < $1.key }) where told.versions[space] != version {
            told.versions[space] = version
            events.append(
                ChangeEvent(id: told.id, space: space, cursor: Cursor(epoch: epoch, position: version).text))
        }
        return events
    }

    /// Stands for all of it in a constant size: a reader that names it has missed nothing.
    var id: String {
        let text = versions.sorted { $0.key < $1.key }.reduce(into: epoch) { $0 += "\n\($1.key) \($1.value)" }
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }
}

/// An event `changes` (SyncAPI.docc/Protocol.md, "Live").
struct ChangeEvent: Sendable, Equatable {
    /// Comes back as `Last-Event-ID`.
    var id: String
    /// The space's id.
    var space: String
    /// The space's present cursor.
    var cursor: String

    /// The event as in a `text/event-stream` (HTML, section 9.2.5). Spaces' ids, cursors and ids need no escaping.
    var text: String { "event: changes\nid: \(id)\ndata: {\"cursor\":\"\(cursor)\",\"space\":\"\(space)\"}\n\n" }
}
