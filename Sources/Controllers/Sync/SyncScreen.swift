public import ControllerKit
public import Foundation

/// The screen that syncs, and shows what isn't synced and why.
public enum SyncScreen: Screen {
    public static let name = "sync"
    public static let summary = "Sync with the server, and show what isn't synced and why."

    /// The state that views show. In JSON, dates are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The user name; nil: no account has signed in on this home.
        public var username: String?
        /// The server's address.
        public var server: String?
        /// Whether the session can be used.
        public var isSignedIn = false
        /// Why the session ended; nil: it can be used, or there was none.
        public var ended: EndedSession?
        /// The number of records with edits that the server hasn't acknowledged.
        public var unsent = 0
        /// The number of open conflicts.
        public var conflicts = 0
        /// The number of conflicts with an edit of this device that another device resolved since
        /// `conflicts --resolved` was last shown here.
        public var resolvedElsewhere = 0
        /// The number of unsent records that the server refused. They aren't sent again before they are edited.
        public var refused = 0
        /// The first records that the server refused.
        public var rejected: [Rejected] = []
        /// The records that are too large on the server to be received here.
        public var oversized: [Oversized] = []
        /// Why records are unsent; nil: none is.
        public var why: UnsentReason?
        /// When the last sync was tried.
        public var lastAttemptAt: Date?
        /// When this home was last in sync with the server.
        public var lastSyncedAt: Date?
        /// Why nothing can be saved on this device, and what to do; nil: there is no known reason.
        public var obstacle: String?
        /// What stopped the last sync; nil: nothing did.
        public var lastProblem: String?
        /// Since when the server can't be reached; nil: the last try reached it.
        public var offlineSince: Date?
        /// When the next try is due after failures; nil: no back-off.
        public var retryAt: Date?
        /// Whether automatic sync is on: `sync on`, `sync off`.
        public var isAutomatic = true
        /// Whether single commands start a background sync.
        public var isInBackground = true
        /// Whether a sync is under way here.
        public var isSyncing = false
        /// The progress of a requested sync; nil: none is under way, or it is short.
        public var progress: WorkProgress?
        /// Whether another process of this home is syncing.
        public var isSyncingElsewhere = false
        /// When the running sync of this or another process began; nil: none is running, or the time is unknown.
        public var syncingSince: Date?
        /// The id of the process that syncs; nil: none does, or the id is unknown.
        public var syncingProcess: Int?
        /// Whether the stream of the server's events is open.
        public var isLive = false
        /// The status of a single record; nil: the overall status was requested.
        public var record: RecordSyncStatus?
        /// What happened to the former, damaged cache, until the new one is filled from the server; nil: nothing.
        public var rebuilt: String?
        /// The messages about automatic syncs that were not shown before; each is shown once.
        public var news: String?
        public var notice: String?

        /// A record that the server refused, and why.
        public struct Rejected: Codable, Equatable, Sendable {
            /// Its full id.
            public var id: String
            /// Its title.
            public var title: String
            /// The server's reason.
            public var reason: String
        }

        /// A record that is too large on the server to be received here.
        public struct Oversized: Codable, Equatable, Sendable {
            /// Its collection.
            public var collection: String
            /// Its full id.
            public var id: String
            /// Its title in the last state that was received; empty if there was none.
            public var title: String
            /// Its size on the server, in bytes.
            public var bytes: Int
        }

        public init() {}
    }

    /// A setting that is on or off.
    public enum Switch: String, Sendable, CaseIterable {
        /// Turned on.
        case on
        /// Turned off.
        case off
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Sync now. If another process of this home is syncing, wait for it.
        case sync
        /// Turn automatic sync, or the background sync after single commands, on or off; nil: unchanged.
        case set(automatic: Switch?, background: Switch?)
        /// Show the status without a request to the server, overall or of a record.
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
                    help: "Turn the background process after single commands on or off.")),
            answer: .notice, help: "Send unsent edits and receive changes now, or turn automatic sync on or off.",
            topics: ["syncing"],
            examples: [
                Example("sync", "Sync now."), Example("sync off", "Sync this home only when you run `sync`."),
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
