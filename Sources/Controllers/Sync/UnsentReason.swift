internal import ControllerKit
public import Foundation
internal import LocalStore
internal import Records
internal import SyncEngine

/// Why edits aren't on the server yet. New cases may be added.
public enum UnsentReason: String, Codable, Sendable, CaseIterable {
    /// No account has ever signed in on this home.
    case noAccount = "no-account"
    /// The session is over: signing in again is required.
    case signedOut = "signed-out"
    /// The server refused the record: it must be edited.
    case rejected
    /// They are being sent now, by this process.
    case syncing
    /// Another process of this home is sending them.
    case syncingElsewhere = "syncing-elsewhere"
    /// Automatic sync is off.
    case off
    /// The server can't be reached.
    case offline
    /// The server was reached and has asked for patience: it is tried again later.
    case waiting
    /// The server's disk is full: it is tried again later.
    case serverFull = "server-full"
    /// The server was reached and refused, for a reason that isn't this record's.
    case refused
    /// The last sync failed on this side.
    case failed
    /// They are sent in a moment.
    case soon
    /// There is no automatic sync here: only `sync` sends them.
    case manual
}

/// What decides why something is unsent.
struct UnsentFacts: Equatable {
    /// Whether an account has ever signed in on this home.
    var hasAccount = true
    var isSignedIn = true
    var isSyncing = false
    var isSyncingElsewhere = false
    /// Whether automatic sync is on in this home.
    var isAutomatic = true
    /// Whether this process, or a background process, syncs automatically.
    var hasRunningSync = true
    /// What stopped the last sync.
    var problem: SyncStatus.Kind?
}

extension UnsentReason {
    /// The most important reason: what the user can change comes first.
    init(_ facts: UnsentFacts) {
        if !facts.hasAccount {
            self = .noAccount
        } else if !facts.isSignedIn {
            self = .signedOut
        } else if facts.isSyncing {
            self = .syncing
        } else if facts.isSyncingElsewhere {
            self = .syncingElsewhere
        } else if !facts.isAutomatic {
            self = .off
        } else if let problem = facts.problem {
            self.init(problem)
        } else {
            self = facts.hasRunningSync ? .soon : .manual
        }
    }

    private init(_ problem: SyncStatus.Kind) {
        switch problem {
        case .unreachable: self = .offline
        case .signedOut: self = .signedOut
        case .waiting: self = .waiting
        case .serverFull: self = .serverFull
        case .refused: self = .refused
        case .failed: self = .failed
        }
    }
}

/// The sync state of a record.
public struct RecordSyncStatus: Codable, Equatable, Sendable {
    /// Its id, whole.
    public var id: String
    /// What it is about.
    public var title: String
    /// The version of the server's that this home has seen; nil: the server doesn't know the record yet.
    public var version: Int64?
    /// Whether it has edits that the server hasn't acknowledged.
    public var isUnsent: Bool
    /// Whether some of them were sent, and the answer is awaited.
    public var isInFlight: Bool
    /// When the last edit was made.
    public var editedAt: Date?
    /// Why they are unsent; nil when there are none.
    public var why: UnsentReason?
    /// What the server said when it refused the record.
    public var rejection: String?
    /// How many of its conflicts are open.
    public var conflicts: Int
}

extension RecordSyncStatus {
    /// - Parameter why: why anything is unsent here.
    init(_ cached: CachedRecord, conflicts: Int, why: UnsentReason) {
        let pending = cached.pending
        self.init(
            id: cached.record.key.id, title: cached.record[.title] ?? "", version: cached.seen?.version,
            isUnsent: pending != nil, isInFlight: pending?.sent != nil,
            editedAt: cached.record.clock.latest.map {
                Timestamp(seconds: Int64($0.milliseconds / 1_000)).date
            }, why: pending.map { $0.rejection == nil ? why : .rejected }, rejection: pending?.rejection?.reason,
            conflicts: conflicts)
    }
}
