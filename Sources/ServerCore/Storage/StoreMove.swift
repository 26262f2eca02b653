public import Records

/// A move of everything from one store to another, which must be empty: rows, their numbers, and the epoch, so that cursors
/// stay valid and devices notice nothing.
///
/// Nothing may be written meanwhile: both stores were opened for a move (`StoreUse.moveSource`, `StoreUse.moveTarget`). Rows are copied in
/// batches. At the end, the digest of each table of the target is compared with that of the rows that were read. Until then,
/// the target is marked as unfinished, and afterwards the source as moved (`MoveMark`). After an interruption, the move may
/// begin again.
public struct StoreMove: Sendable {
    private let source, target: Place
    private let audit: StoredAudit?
    private let id: String

    /// A store with its name in messages and marks, without a password.
    public struct Place: Sendable {
        let store: any ServerStore
        /// The name.
        public let name: String

        /// Creates a place.
        public init(_ store: any ServerStore, name: String) { (self.store, self.name) = (store, name) }
    }

    /// Creates a move.
    ///
    /// - Parameters:
    ///   - audit: The event that the target gets once everything is moved, for the log of its servers.
    ///   - id: A random id that identifies the move in the marks of both stores.
    public init(
        from source: Place, to target: Place, audit: StoredAudit? = nil, id: String = UUIDText.random()
    ) {
        (self.source, self.target, self.audit, self.id) = (source, target, audit, id)
    }

    /// Moves everything.
    ///
    /// - Parameter copied: Called with the digest of each table of the source once its rows are copied.
    /// - Returns: The digests of all tables, equal in both stores.
    /// - Throws: `StoreMoveError`.
    public func run(copied: @Sendable (TableDigest) -> Void = { _ in }) async throws -> [TableDigest] {
        let start = try await during(.beginning) { try await begin() }
        if start.isAgain {
            try await during(.copying("the removal of what was copied before")) { try await removeAll() }
        }
        var digests: [TableDigest] = []
        for table in StoreTable.all {
            digests.append(try await during(.copying("the table \(table.name)")) { try await copy(table) })
            digests.last.map(copied)
        }
        let epoch = start.epoch
        try await during(.copying("the end")) {
            try await target.store.write { try $0.finishImport(epoch: epoch) }
        }
        for (table, digest) in zip(StoreTable.all, digests) {
            let found = try await during(.copying("the comparison of \(table.name)")) {
                try await Self.digest(of: table, in: target.store)
            }
            guard found == digest else { throw StoreMoveError.tableDiffers(table: table.name) }
        }
        try await finish(start)
        return digests
    }

    /// What a move begins with.
    private struct StartedMove: Sendable {
        /// The source's epoch.
        let epoch: String
        /// The move's id in the marks.
        let move: String
        /// Whether the target has rows of an interrupted move.
        let isAgain: Bool
    }

    /// Checks both stores, and marks the target as unfinished.
    private func begin() async throws -> StartedMove {
        let (mark, epoch) = try await source.store.read { tx in (try tx.moveMark(), try tx.epoch()) }
        let isSourceEmpty = try await source.store.read { tx in try tx.isEmpty() }
        return try await target.store.write { [source, target, id] tx in
            // In the transaction that marks it: nothing else can be written in between.
            let beginning = InitialStates(
                source: mark, target: try tx.moveMark(), isTargetEmpty: try tx.isEmpty(),
                names: (source.name, target.name), isSourceEmpty: isSourceEmpty)
            let isAgain = try beginning.isAgain()
            let move = beginning.move ?? id
            try tx.setMoveMark(.unfinished(source: source.name, move: move))
            return StartedMove(epoch: epoch, move: move, isAgain: isAgain)
        }
    }

    /// Removes what an interrupted move has copied.
    private func removeAll() async throws {
        for table in StoreTable.all.reversed() {
            while let last = try await Self.rows(of: table, after: nil, in: target.store).last {
                try await target.store.write { try $0.deleteRows(of: table, through: table.key(of: last)) }
            }
        }
    }

    private func copy(_ table: StoreTable) async throws -> TableDigest {
        var digest = TableDigest(of: table)
        var key: [StoredValue]?
        while true {
            let rows = try await Self.rows(of: table, after: key, in: source.store)
            guard let last = rows.last else { return digest }
            try await target.store.write { try $0.insert(rows, into: table) }
            for row in rows { digest.add(row) }
            key = table.key(of: last)
        }
    }

    /// Marks the source first: at no moment, servers may use both.
    private func finish(_ start: StartedMove) async throws {
        try await during(.copying("the end")) {
            for place in [source, target] { try await place.store.checkExclusiveUse() }
        }
        try await during(.markingSource) {
            try await source.store.write { [target] tx in
                guard try tx.epoch() == start.epoch else { throw StoreMoveError.sourceChanged }
                try tx.setMoveMark(.moved(target: target.name, move: start.move))
            }
        }
        try await during(.markingTarget) {
            try await target.store.write { [audit] tx in
                if let audit { try tx.insert(audit, limit: StoredAudit.kept) }
                try tx.setMoveMark(nil)
            }
        }
    }

    /// Returns the digest of a table.
    public static func digest(of table: StoreTable, in store: any ServerStore) async throws -> TableDigest {
        var digest = TableDigest(of: table)
        var key: [StoredValue]?
        while true {
            let rows = try await rows(of: table, after: key, in: store)
            guard let last = rows.last else { return digest }
            for row in rows { digest.add(row) }
            key = table.key(of: last)
        }
    }

    private static func rows(
        of table: StoreTable, after key: [StoredValue]?, in store: any ServerStore
    ) async throws -> [StoredRow] {
        try await store.read { tx in try tx.rows(of: table, after: key, limit: StoreTable.batchRows) }
    }

    /// A step of a move.
    private enum Step {
        case beginning
        /// A part of copying or comparing.
        case copying(String)
        case markingSource, markingTarget
    }

    /// Adds to an error of a store where the move has stopped.
    private func during<Result>(_ step: Step, _ work: () async throws -> Result) async throws -> Result {
        do { return try await work() } catch let error as StoreMoveError { throw error } catch {
            let (source, target, reason) = (source.name, target.name, Self.reason(error))
            throw switch step {
            case .beginning: StoreMoveError.notBegun(reason: reason)
            case .copying(let part): StoreMoveError.stopped(at: part, reason: reason, target: target)
            case .markingSource: StoreMoveError.sourceMarkUnknown(source: source, target: target, reason: reason)
            case .markingTarget: StoreMoveError.targetMarkUnknown(source: source, target: target, reason: reason)
            }
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case StoreFailure.full(let reason): "the disk is full: \(reason)"
        case StoreFailure.busy(let reason): "the database is busy: \(reason)"
        case StoreFailure.unavailable(let reason): "the database can't be used: \(reason)"
        default: "\(error)"
        }
    }

    /// The states of both stores at the beginning of a move. A pure value.
    struct InitialStates {
        let source: MoveMark?
        let target: MoveMark?
        let isTargetEmpty: Bool
        let names: (source: String, target: String)
        var isSourceEmpty = false

        /// The id of the move that has marked both stores, and was interrupted before it was finished; nil: there is none.
        var move: String? {
            guard case .moved(_, let move)? = source, case .unfinished(_, let other)? = target, move == other else {
                return nil
            }
            return move
        }

        /// Returns whether the target has rows of an interrupted move, which are removed first.
        ///
        /// - Throws: `StoreMoveError` if the move is refused.
        func isAgain() throws(StoreMoveError) -> Bool {
            for (mark, name) in [(source, names.source), (target, names.target)] {
                if case .unknown? = mark { throw .unknownMark(place: name) }
            }
            var isAgain = false
            if case .unfinished? = target { isAgain = true }
            switch source {
            case .unfinished?: throw .sourceIsUnfinished(source: names.source)
            // An interrupted move to this target had compared everything, and may begin again.
            case .moved(let other, let move)?:
                // The places may be spelled in another way now. A mark of an earlier version has no id.
                let isSame = isAgain && (move == nil ? other == names.target : self.move != nil)
                if !isSame { throw .alreadyMoved(source: names.source, target: other) }
            case .unknown?, nil: break
            }
            guard isAgain || isTargetEmpty else { throw .targetHasData(target: names.target) }
            if isSourceEmpty { throw .sourceIsEmpty(source: names.source) }
            return isAgain
        }
    }
}

extension StoreReading {
    /// Returns whether the store has no rows.
    func isEmpty() throws -> Bool {
        try StoreTable.all.allSatisfy { table in try rows(of: table, after: nil, limit: 1).isEmpty }
    }
}

/// The reason for which a move was refused or has stopped, with a message for the owner of the server. New cases may be added.
public enum StoreMoveError: Error, CustomStringConvertible, Equatable {
    /// The target has data.
    case targetHasData(target: String)
    /// The source has no rows at all.
    case sourceIsEmpty(source: String)
    /// The source is itself the target of a move that has not finished.
    case sourceIsUnfinished(source: String)
    /// The source was moved before.
    case alreadyMoved(source: String, target: String)
    /// A newer version of the server has marked the store.
    case unknownMark(place: String)
    /// A store failed before anything was copied; `reason` is the store's.
    case notBegun(reason: String)
    /// The move has stopped while it copied or compared; `part` says where, and `reason` is the store's.
    case stopped(at: String, reason: String, target: String)
    /// A table of the target differs from that of the source.
    case tableDiffers(table: String)
    /// The source has another epoch than at the beginning: PostgreSQL has failed over, or it was restored.
    case sourceChanged
    /// Everything was copied, and it isn't known whether the source is marked as moved; `reason` is the store's.
    case sourceMarkUnknown(source: String, target: String, reason: String)
    /// Everything was copied, the source is marked as moved, and it isn't known whether the target can be used; `reason` is
    /// the store's.
    case targetMarkUnknown(source: String, target: String, reason: String)

    public var description: String {
        switch self {
        case .targetHasData(let target):
            "\(target) has data: name an empty database or another directory. Nothing was changed"
        case .sourceIsEmpty(let source):
            "\(source) has no data to move; name the store that the server used. Nothing was changed"
        case .sourceIsUnfinished(let source):
            "\(source) is itself the target of a move that has not finished; finish that one first. Nothing was changed"
        case .alreadyMoved(let source, let target):
            "\(source) was moved to \(target) before, where devices may have written since: move from there. Nothing was changed"
        case .unknownMark(let place):
            "\(place) has a mark of a move that this version doesn't recognise; install the newer version of the server that made "
                + "it. Nothing was changed"
        case .notBegun(let reason):
            "the move did not start: \(reason). Nothing was moved; run the command again"
        case .stopped(let part, let reason, let target):
            "the move has stopped at \(part): \(reason). It has not changed the source; servers refuse \(target), which is incomplete. "
                + "Run the command again"
        case .tableDiffers(let table):
            "the table \(table) differs between both stores, so the target stays unfinished, and the source is unchanged: look for "
                + "faults of the source with a check, and run the command again"
        case .sourceChanged:
            "the source was changed meanwhile by a failover or a restore; servers refuse the target, which is incomplete. Run the "
                + "command again"
        case .sourceMarkUnknown(let source, let target, let reason):
            "all data was copied, but it isn't known whether \(source) was marked as moved: \(reason). Servers refuse \(target) and may "
                + "refuse \(source). Keep all servers stopped, and run the command again"
        case .targetMarkUnknown(let source, let target, let reason):
            "all data was copied and servers refuse \(source) from now on, but it isn't known whether \(target) was released: "
                + "\(reason). Run the command again; if it reports that \(source) was already moved, \(target) is ready for use"
        }
    }
}
