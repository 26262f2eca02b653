/// The mark that a move between two stores leaves in them, so that no server uses the wrong one.
public enum MoveMark: Sendable, Equatable {
    /// The store is the target of a move that has not finished: it lacks data.
    case unfinished(source: String)
    /// Everything was moved to another store, in which devices may have written since.
    case moved(target: String)

    /// Returns whether a store with this mark is refused.
    public func refuses(_ use: StoreUse) -> Bool {
        switch (self, use) {
        // The move decides itself, see `StoreMove`.
        case (_, .move): false
        case (_, .server), (_, .command), (.unfinished, .mark): true
        case (.moved, .mark): false
        }
    }

    /// The text by which stores keep the mark.
    package var text: String {
        switch self {
        case .unfinished(let source): "unfinished \(source)"
        case .moved(let target): "moved \(target)"
        }
    }

    /// Creates a mark of its stored text. A text of a later version of the server is an unfinished move, which no server
    /// uses.
    package init(stored text: String) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let place = parts.count > 1 ? parts[1] : ""
        self = parts.first == "moved" ? .moved(target: place) : .unfinished(source: place)
    }
}

/// Who opens a store.
public enum StoreUse: Sendable {
    /// A server.
    case server
    /// A command of the owner, next to servers.
    case command
    /// The command that marks a store as restored, next to servers. It makes a moved one usable again.
    case mark
    /// A move to or from another store, which excludes all others.
    case move
}
