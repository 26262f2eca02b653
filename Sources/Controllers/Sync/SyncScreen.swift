public import ControllerKit
public import Foundation

/// Syncing, and why something isn't synced.
public enum SyncScreen: Screen {
    public static let name = "sync"
    public static let summary = "Sync with the server, and show what isn't synced and why."

    /// What a view shows. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The account; nil: none has signed in, which only syncing needs.
        public var username: String?
        /// The server's address.
        public var server: String?
        /// Whether the session can be used.
        public var isSignedIn = false
        /// Why it can't, if there was one.
        public var ended: EndedSession?
        /// Records with edits that the server hasn't acknowledged.
        public var unsent = 0
        /// The number of open conflicts.
        public var conflicts = 0
        /// Conflicts with an edit of this device that another one has settled since `conflicts --settled` was shown here.
        public var settledElsewhere = 0
        /// Of the unsent records, those that the server refused: no sync sends them before they are edited.
        public var refused = 0
        /// The first of the records that the server refused.
        public var rejected: [Rejected] = []
        /// Records that are too large on the server to be received here; all others are synced.
        public var oversized: [Oversized] = []
        /// Why the others are unsent; nil when there are none.
        public var why: UnsentReason?
        /// When a sync was tried last.
        public var lastAttemptAt: Date?
        /// When this home was last in step with the server.
        public var lastSyncedAt: Date?
        /// Why nothing can be saved on this device, and what to do; nil: there is no known reason.
        public var obstacle: String?
        /// What stopped the last sync, if something did.
        public var lastProblem: String?
        /// Since when the server can't be reached; nil: it could be the last time.
        public var offlineSince: Date?
        /// Until when the next try waits, after failures.
        public var retryAt: Date?
        /// Whether automatic sync is on: `sync on`, `sync off`.
        public var isAutomatic = true
        /// Turn the background sync after single commands on or off.
        public var isInBackground = true
        /// Whether a sync is under way here.
        public var isSyncing = false
        /// How far the sync is that was asked for; nil: none is under way, or it is short.
        public var progress: WorkProgress?
        /// Whether another process of this home is syncing.
        public var isSyncingElsewhere = false
        /// When the running sync of this or another process began; nil: none is running, or the time is unknown.
        public var syncingSince: Date?
        /// The id of the process that syncs; nil: none does, or the id is unknown.
        public var syncingProcess: Int?
        /// Whether the stream of the server's events is open.
        public var isLive = false
        /// The record that was asked for; nil: it was asked for the whole.
        public var record: RecordSyncStatus?
        /// What became of the cache that was here before, while this one hasn't been filled from the server yet.
        public var rebuilt: String?
        /// The messages about automatic syncs that were not shown before; each is shown once.
        public var news: String?
        public var notice: String?

        /// A record that the server refused, and why.
        public struct Rejected: Codable, Equatable, Sendable {
            /// Its id, whole.
            public var id: String
            /// What it is about.
            public var title: String
            /// What the server said.
            public var reason: String
        }

        /// A record that is too large on the server to be received here.
        public struct Oversized: Codable, Equatable, Sendable {
            /// Its collection.
            public var collection: String
            /// Its id, whole.
            public var id: String
            /// Its title in the last state that was received; empty if there was none.
            public var title: String
            /// Its size on the server.
            public var bytes: Int
        }

        public init() {}
    }

    /// On or off, as it is said.
    public enum Switch: String, Sendable, CaseIterable {
        /// From now on.
        case on
        /// No more.
        case off
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Sync now; wait if another process of this home is at it.
        case sync
        /// Turn automatic sync on or off; nil: leave it. The same for the background sync after single commands.
        case set(automatic: Switch?, background: Switch?)
        /// Show the status, without asking the server: overall, or of a record.
        case status(record: String? = nil)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "sync",
            .optional(
                .choice(
                    "automatic", Switch.allCases.map(\.rawValue),
                    help: "Turn automatic sync on or off for this home.")),
            .option(
                .choice(
                    "background", Switch.allCases.map(\.rawValue),
                    help: "Turn the background sync after single commands on or off.")),
            answer: .notice, help: "Send unsent edits and receive changes now, or turn automatic sync on or off.",
            topics: ["syncing"],
            examples: [
                Example("sync", "Now."), Example("sync off", "On this machine, sync only when you run `sync`."),
                Example("sync --background off", "Single commands don't start a background process."),
            ]
        ) { automatic, background in
            if automatic == nil, background == nil { return .sync }
            return .set(
                automatic: automatic.flatMap(Switch.init(rawValue:)),
                background: background.flatMap(Switch.init(rawValue:)))
        },
        Verb(
            "status", .optional(.record("record", help: "Only this record.")),
            traits: .readOnly, help: "Show what isn't synced, and why, overall or for one record.",
            topics: ["syncing"],
            examples: [
                Example("status", "Whether everything is synced, and if not, why."),
                Example("status 2", "The same for one record."),
            ]
        ) { .status(record: $0) },
    ]
}
