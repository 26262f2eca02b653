/// The mark that a move between two stores leaves in them, so that no server uses the wrong one.
public enum MoveMark: Sendable, Equatable {
    /// The store is the target of a move that has not finished: it lacks data. `move` identifies the move; nil: an earlier
    /// version began it.
    case unfinished(source: String, move: String? = nil)
    /// Everything was moved to another store, in which devices may have written since. `move` identifies the move.
    case moved(target: String, move: String? = nil)
    /// A newer version of the server has made the mark; its text.
    case unknown(String)

    /// Returns whether a store with this mark is refused.
    public func refuses(_ use: StoreUse) -> Bool {
        switch (self, use) {
        // The move decides itself, see `StoreMove`.
        case (_, .moveTarget), (_, .moveSource): false
        case (_, .server), (_, .command), (.unfinished, .mark), (.unknown, .mark): true
        case (.moved, .mark): false
        }
    }

    /// The text by which stores keep the mark: a word and the place, and the move in a second line.
    package var text: String {
        switch self {
        case .unfinished(let source, let move): Self.text("unfinished", source, move)
        case .moved(let target, let move): Self.text("moved", target, move)
        case .unknown(let text): text
        }
    }

    private static func text(_ word: String, _ place: String, _ move: String?) -> String {
        // A directory's name may have lines; the place is only shown.
        "\(word) \(place.replacing("\n", with: " "))" + (move.map { "\n\($0)" } ?? "")
    }

    /// Creates a mark of its stored text.
    package init(stored text: String) {
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        let place = words.count > 1 ? words[1] : ""
        let move = lines.count > 1 ? lines[1] : nil
        switch words.first {
        case "unfinished": self = .unfinished(source: place, move: move)
        case "moved": self = .moved(target: place, move: move)
        default: self = .unknown(text)
        }
    }
}

/// Who opens a store.
public enum StoreUse: Sendable {
    /// A server.
    case server
    /// A command of the owner, next to servers.
    case command
    /// The command that marks a store as restored, next to servers. It makes a moved one usable again. The store must have
    /// tables.
    case mark
    /// A move to another store, which excludes all others.
    case moveTarget
    /// A move from a store, which excludes all others. The store must have tables.
    case moveSource

    /// Whether all others are kept out.
    package var isExclusive: Bool {
        switch self {
        case .moveTarget, .moveSource: true
        case .server, .command, .mark: false
        }
    }

    /// Whether an empty database is refused, in which tables would be created otherwise: its name is probably wrong.
    package var needsTables: Bool {
        switch self {
        case .mark, .moveSource: true
        case .server, .command, .moveTarget: false
        }
    }
}
