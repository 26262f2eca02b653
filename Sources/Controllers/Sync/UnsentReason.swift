internal import ControllerKit
public import Foundation
public import Notebook
internal import Records
public import SyncEngine

/// Why edits aren't on the server yet. New cases may be added.
public enum UnsentReason: String, Codable, Sendable, CaseIterable {
    /// No account has ever signed in on this home.
    case noAccount = "no-account"
    /// The session has ended: signing in again is required.
    case signedOut = "signed-out"
    /// The server refused the record: it must be edited.
    case rejected
    /// This process is sending them.
    case syncing
    /// Another process of this home is sending them.
    case syncingElsewhere = "syncing-elsewhere"
    /// Automatic sync is off.
    case off
    /// The server can't be reached.
    case offline
    /// The server was reached and is busy: they are sent later.
    case waiting
    /// The server's disk is full: they are sent later.
    case serverFull = "server-full"
    /// The account's quota on the server is used up: something must be deleted, or the quota raised.
    case quotaExceeded = "quota-exceeded"
    /// The server refused the whole request, not this record.
    case refused
    /// The last sync failed on this device.
    case failed
    /// They are sent soon.
    case soon
    /// This process doesn't sync automatically: only `sync` sends them.
    case manual
}

/// The facts that decide why something is unsent.
public struct UnsentFacts: Sendable, Equatable {
    /// Whether an account has ever signed in on this home.
    public var hasAccount: Bool
    /// Whether the session can be used.
    public var isSignedIn: Bool
    /// Whether this process is syncing.
    public var isSyncing: Bool
    /// Whether another process of this home is syncing.
    public var isSyncingElsewhere: Bool
    /// Whether automatic sync is on in this home.
    public var isAutomatic: Bool
    /// Whether this process, or a background process, syncs automatically: `AutomaticSync.isActive(with:)`.
    public var hasRunningSync: Bool
    /// What stopped the last sync; nil: nothing did.
    public var problem: SyncStatus.Kind?

    /// Creates facts; the defaults are those of a home that syncs automatically and has no problem.
    public init(
        hasAccount: Bool = true, isSignedIn: Bool = true, isSyncing: Bool = false, isSyncingElsewhere: Bool = false,
        isAutomatic: Bool = true, hasRunningSync: Bool = true, problem: SyncStatus.Kind? = nil
    ) {
        (self.hasAccount, self.isSignedIn) = (hasAccount, isSignedIn)
        (self.isSyncing, self.isSyncingElsewhere) = (isSyncing, isSyncingElsewhere)
        (self.isAutomatic, self.hasRunningSync, self.problem) = (isAutomatic, hasRunningSync, problem)
    }
}

extension UnsentReason {
    /// Creates the most important reason: what the user can change comes first.
    public init(_ facts: UnsentFacts) {
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
        case .quotaExceeded: self = .quotaExceeded
        case .refused: self = .refused
        case .failed: self = .failed
        }
    }
}

/// The sync state of a record.
public struct RecordSyncStatus: Codable, Equatable, Sendable {
    /// Its full id.
    public var id: String
    /// Its title.
    public var title: String
    /// The last version of the server that this home has received; nil: the server doesn't have the record yet.
    public var version: Int64?
    /// Whether it has edits that the server hasn't acknowledged.
    public var isUnsent: Bool
    /// Whether some of its edits are in the batch in flight.
    public var isInFlight: Bool
    /// When it was last edited.
    public var editedAt: Date?
    /// Why its edits are unsent; nil: none is.
    public var why: UnsentReason?
    /// Why the server refused the record; nil: it didn't.
    public var rejection: String?
    /// The number of its open conflicts.
    public var conflicts: Int
}

extension RecordSyncStatus {
    /// Creates the sync state of a record.
    ///
    /// - Parameters:
    ///   - conflicts: The number of its open conflicts.
    ///   - why: Why unsent records of this home are unsent. A refused record has its own reason.
    public init(_ local: LocalRecord, conflicts: Int, why: UnsentReason) {
        let reason = local.rejection == nil ? why : .rejected
        self.init(
            id: local.record.key.id, title: local.record[.title] ?? "", version: local.acknowledged?.version,
            isUnsent: local.isUnsent, isInFlight: local.isInFlight,
            editedAt: local.record.clock.latest.map(\.timestamp.date), why: local.isUnsent ? reason : nil,
            rejection: local.rejection, conflicts: conflicts)
    }
}
