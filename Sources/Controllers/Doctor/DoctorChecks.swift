internal import Backend
internal import ControllerKit
internal import LocalStore
internal import SyncEngine

// Turns findings into messages for the user. Pure functions.
extension DoctorScreen.State.Check {
    /// The checks of the cache, with the message if there is no fault.
    private static let cache: [(DoctorScreen.State.Subject, String)] = [
        (.file, "SQLite reads it without errors"), (.records, "all can be read"),
        (.outbox, "it contains exactly the unsent edits"), (.sync, "counts and records match"),
        (.search, "all words can be found"),
    ]

    /// The checks of the cache's own consistency.
    static func cache(_ faults: [CacheFault]) -> [Self] {
        let isUnreadable = faults.contains { $0.kind == .unreadablePages }
        return cache.map { name, wellness in
            let found = faults.filter { $0.kind.check == name }
            if !found.isEmpty {
                // One run of `doctor --repair` does all repairs, so one remedy is enough: that of the largest.
                let remedies = found.map(\.kind).sorted { $0.order < $1.order }.map(\.remedy)
                return Self(name, .broken, found.map(\.words).joined(separator: "; "), remedy: remedies.first)
            }
            // With unreadable pages the other checks were not made.
            return isUnreadable ? Self(name, .skipped, "parts of the file can't be read") : Self(name, .ok, wellness)
        }
    }

    /// The permissions of the home's files.
    static func home(_ exposed: [Home.ExposedFile]) -> Self {
        guard let first = exposed.first else { return Self(.home, .ok, "other users can't read or write its files") }
        let more = exposed.count > 1 ? " and \(exposed.count - 1) more" : ""
        return Self(
            .home, .warning,
            "other users can read or write \(first.path) (mode \(String(first.mode, radix: 8)))\(more)",
            remedy: "`doctor --repair` removes the permissions of other users.")
    }

    /// Why nothing can be saved in the home, if there is a reason.
    static func writing(_ obstacle: LocalStoreError?) -> Self? {
        obstacle.map { Self(.writing, .warning, $0.obstacle, remedy: $0.remedy) }
    }

    /// The server's disk; nil: the last sync didn't find it full.
    static func serverDisk(_ problem: SyncStatus.Failure?) -> Self? {
        guard problem?.kind == .serverFull else { return nil }
        return Self(
            .serverDisk, .warning, "it was full at the last sync; unsent edits stay here",
            remedy: "Inform the server's owner, then run `sync` later.")
    }

    /// The hooks; nil: there is no folder for them.
    static func hooks(_ hooks: Hooks?) -> Self? {
        guard let (count, faults) = hooks?.inspect() else { return nil }
        guard let first = faults.first else {
            return Self(.hooks, .ok, count == 1 ? "1 program can be run" : "\(count) programs can be run")
        }
        let more = faults.count > 1 ? " and \(faults.count - 1) more" : ""
        return Self(.hooks, .warning, "\(first.path)\(more) isn't run: it \(first.reason)")
    }

    /// The damaged files that were moved away; nil: none.
    static func putAside(_ files: [String]) -> Self? {
        guard let last = files.last else { return nil }
        let more = files.count > 1 ? " and \(files.count - 1) older" + (files.count > 2 ? " files" : " file") : ""
        return Self(
            .putAside, .ok, "\(last)\(more)",
            remedy: "Delete it if no record is missing; `doctor --salvage FILE` reads it again.")
    }

    /// The session.
    static func session(_ status: Result<SessionStatus, BackendError>) -> Self {
        switch status {
        // The message says what to do.
        case .failure(let error): Self(.session, .broken, error.message)
        case .success(.neverSignedIn): Self(.session, .ok, "not signed in, nothing is synced")
        case .success(.active(let identity)):
            Self(.session, .ok, "\(identity.username) on \(identity.server.description)\(identity.encryptionNote)")
        case .success(.ended(let identity, .loggedOut)): Self(.session, .ok, "\(identity.username) has signed out")
        case .success(.ended(_, let reason)):
            Self(.session, .warning, BackendError.signedOut(reason).message, remedy: "`login`.")
        }
    }

    /// The accepted difference of this device's clock, in seconds. The server lowers clocks that are further ahead
    /// (SyncAPI.docc/Protocol.md, "Data").
    private static let tolerance = 60

    /// This device's clock compared with the server's, both in milliseconds since 1970.
    static func clock(here: UInt64, server: UInt64?) -> Self {
        guard let server else { return Self(.clock, .skipped, "the server's answer has no time") }
        let seconds = (Int(here) - Int(server)) / 1_000
        if abs(seconds) <= tolerance { return Self(.clock, .ok, "same as the server's") }
        let much =
            switch abs(seconds) {
            case ..<120: "\(abs(seconds)) seconds"
            case ..<7_200: "\(abs(seconds) / 60) minutes"
            default: "\(abs(seconds) / 3_600) hours"
            }
        return Self(
            .clock, .warning, "it is \(much) \(seconds > 0 ? "ahead of" : "behind") the server's",
            remedy: "Set this machine's clock; it decides which of two edits of a field is the later one.")
    }

    /// The digest of the cache compared with the server's.
    static func server(_ agreement: DigestCheck.Agreement) -> Self {
        switch agreement {
        case .equal: Self(.server, .ok, "it has the same records as this device")
        case .unseenChanges:
            Self(.server, .skipped, "it has newer changes, so nothing can be compared; run `sync` first")
        case .reading: Self(.server, .skipped, "not everything has been received yet; run `sync` first")
        // No fault: for example, the cursor has expired or the server was restored.
        case .mustRead: Self(.server, .ok, "the next sync reads everything again; unsent edits are kept")
        case .different:
            Self(
                .server, .broken, "it has other records than this device",
                remedy: "`doctor --repair` reads everything again; `doctor --deep` lists the records that differ.")
        }
    }

    /// The check of the server after a request failed.
    static func unasked(_ error: any Error) -> Self {
        let message = Failure(error).message
        if case BackendError.transport(let failure) = error, failure.kind == .unavailable {
            // This machine lacks what requests need, so no server can be reached.
            return Self(.server, .broken, message)
        }
        return Self(.server, .skipped, "it couldn't be reached. \(message)")
    }

    /// The comparison of every record with the server's; nil: it could not be made.
    static func compare(_ comparison: CacheComparison?) -> Self {
        guard let comparison else {
            return Self(.compare, .skipped, "not everything has been received yet; run `sync` first")
        }
        let waiting = comparison.waiting > 0 ? "; \(comparison.waiting) changed since the last sync" : ""
        // Records that are too large aren't a fault of the cache: a repair can't receive them.
        let oversized = comparison.differences.count { $0.kind == .tooLarge }
        let differing = comparison.differences.count - oversized
        let unreceived = oversized > 0 ? "; \(oversized) too large to be received here" : ""
        if differing == 0 {
            let compared = oversized > 0 ? "\(comparison.compared) other" : "\(comparison.compared)"
            return Self(
                .compare, oversized > 0 ? .warning : .ok,
                "all \(compared) records match the server's" + unreceived + waiting,
                remedy: oversized > 0 ? "Inform the server's owner; reading everything again won't help." : nil)
        }
        return Self(
            .compare, .broken,
            "\(differing) of \(comparison.compared) records differ from the server's" + unreceived + waiting,
            remedy: "`doctor --repair` reads everything again; unsent edits are kept.")
    }
}

extension SessionIdentity {
    fileprivate var encryptionNote: String { insecureHTTP ? ", \(SessionScreen.insecureHTTPNote)" : "" }
}

extension CacheFault.Kind {
    /// The rank of the repair; the remedy of the lowest rank is shown.
    fileprivate var order: Int {
        switch repair {
        case .rebuilding: 0
        case .reading: 1
        case .recounting: 2
        }
    }
}

extension CacheFault {
    /// The message for the user.
    var words: String {
        let some = count == 1 ? "1 record" : "\(count) records"
        return switch kind {
        case .unreadablePages: "SQLite can't read parts of the cache" + because
        case .brokenIndex: "an index doesn't match its table" + because
        case .brokenSpace: "the sync state of this home can't be read" + because
        case .danglingReferences:
            (count == 1 ? "1 row refers" : "\(count) rows refer") + " to rows that don't exist" + because
        case .unreadableRecords: "\(some) can't be read"
        case .unreadableMirrors: "the server's state of \(some) can't be read"
        case .unreadableEntries: "the time of the last edit of \(some) can't be read"
        case .strayMirrors: "\(some) may have unsent edits that would never be sent"
        case .lostEntries: "\(some) created here would never be sent"
        case .impossibleCounts: "the number of edits of \(some) is wrong"
        case .brokenBatch: "the batch in flight doesn't match the outbox"
        case .strayReadMarks: "marks of a sync that has ended are left on \(some)"
        case .wrongDigest: "the digest of the records is wrong"
        case .wrongSearchIndex: "the search index is wrong for \(some)"
        case .wrongListIndex: "the index of the list is wrong for \(some)"
        }
    }

    private var because: String { detail.map { " (\($0))" } ?? "" }
}

extension CacheFault.Kind {
    /// The check that finds it.
    var check: DoctorScreen.State.Subject {
        switch self {
        case .unreadablePages, .brokenIndex, .danglingReferences: .file
        case .unreadableRecords, .unreadableMirrors: .records
        case .unreadableEntries, .strayMirrors, .lostEntries, .impossibleCounts, .brokenBatch: .outbox
        case .brokenSpace, .strayReadMarks, .wrongDigest: .sync
        case .wrongSearchIndex, .wrongListIndex: .search
        }
    }

    /// The effect of a repair.
    var remedy: String {
        switch repair {
        case .rebuilding:
            "`doctor --repair` moves the file away, keeps the unsent edits that can be read, and reads the rest from the "
                + "server."
        case .reading:
            "`doctor --repair` repairs this and reads everything from the server again; unsent edits are kept."
        case .recounting: "`doctor --repair` repairs this."
        }
    }
}

extension DoctorScreen.State.Difference.Kind {
    init(_ kind: CacheComparison.Kind) {
        switch kind {
        case .missingHere: self = .missingHere
        case .missingThere: self = .missingThere
        case .version: self = .version
        case .contents: self = .contents
        case .tooLarge: self = .tooLarge
        }
    }
}
