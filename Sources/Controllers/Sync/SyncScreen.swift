public import ControllerKit

/// Syncing, and why something isn't synced.
public enum SyncScreen: Screen {
    public static let name = "sync"
    public static let summary = "Sync with the server, and see what isn't synced and why."

    /// What a view shows. Moments are RFC 3339 in UTC.
    public struct State: ScreenState {
        /// The account; nil: nobody has signed in, which only syncing needs.
        public var username: String?
        /// The server's address.
        public var server: String?
        /// Whether the session can be used.
        public var isSignedIn = false
        /// Why it can't, if there was one.
        public var ended: EndedSession?
        /// Records with edits that the server hasn't acknowledged.
        public var unsent = 0
        /// Conflicts that nobody has settled.
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
        public var lastAttemptAt: String?
        /// When this home was last in step with the server.
        public var lastSyncedAt: String?
        /// Why nothing can be saved on this device, and what to do; nil: there is no known reason.
        public var obstacle: String?
        /// What stopped the last sync, if something did.
        public var lastProblem: String?
        /// Since when the server can't be reached; nil: it could be the last time.
        public var offlineSince: String?
        /// Until when the next try waits, after failures.
        public var retryAt: String?
        /// Whether this home syncs by itself: `sync on`, `sync off`.
        public var isAutomatic = true
        /// Whether a single command leaves its edits to a process in the background.
        public var isInBackground = true
        /// Whether a sync is under way here.
        public var isSyncing = false
        /// How far the sync is that was asked for; nil: none is under way, or it is short.
        public var progress: WorkProgress?
        /// Whether another process of this home is syncing.
        public var isSyncingElsewhere = false
        /// When the running sync of this or another process began; nil: none is running, or the time is unknown.
        public var syncingSince: String?
        /// The id of the process that syncs; nil: none does, or the id is unknown.
        public var syncingProcess: Int?
        /// Whether the server tells this session at once when something changes.
        public var isLive = false
        /// The record that was asked for; nil: it was asked for the whole.
        public var record: RecordStanding?
        /// What became of the cache that was here before, while this one hasn't been filled from the server yet.
        public var rebuilt: String?
        /// What came of syncs that nobody asked for and wasn't told before; it is told once.
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
        /// Sync by itself from now on, or only when somebody says so; nil: leave it. The same for what single commands
        /// leave to a process in the background.
        case set(automatic: Switch?, background: Switch?)
        /// Show how things stand, without asking the server: the whole, or a record.
        case status(record: String? = nil)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "sync",
            .optional(
                .choice(
                    "automatic", Switch.allCases.map(\.rawValue),
                    help: "Sync by itself from now on, or only when you say `sync`.")),
            .option(
                .choice(
                    "background", Switch.allCases.map(\.rawValue),
                    help: "Whether a single command leaves its edits to a process in the background.")),
            answer: .notice, help: "Send what is unsent, and bring what others changed; or set what happens by itself.",
            examples: [
                Example("sync", "Now."), Example("sync off", "From now on only when you say so, on this machine."),
                Example("sync --background off", "Single commands leave nothing to a process in the background."),
            ]
        ) { automatic, background in
            if automatic == nil, background == nil { return .sync }
            return .set(
                automatic: automatic.flatMap(Switch.init(rawValue:)),
                background: background.flatMap(Switch.init(rawValue:)))
        },
        Verb(
            "status", .optional(.record("record", help: "Only this record.")),
            traits: .readOnly, help: "Show what isn't synced, and why; the whole, or a record.",
            examples: [
                Example("status", "Whether everything is sent, and if not, why."),
                Example("status 2", "The same of one record."),
            ]
        ) { .status(record: $0) },
    ]
}
