/// A move of everything from one store to another, which must be empty: rows, their numbers, and the epoch, so that cursors
/// stay valid and devices notice nothing.
///
/// Nothing may be written meanwhile: both stores were opened for a move (`StoreUse.move`). Rows are copied in batches. At the
/// end, the digest of each table of the target is compared with that of the rows that were read. Until then, the target is
/// marked as unfinished, and afterwards the source as moved (`MoveMark`). After an interruption, the move may begin again.
public struct StoreMove: Sendable {
    private let source, target: Place

    /// A store with its name in messages and marks, without a password.
    public struct Place: Sendable {
        let store: any ServerStore
        /// The name.
        public let name: String

        /// Creates a place.
        public init(_ store: any ServerStore, name: String) { (self.store, self.name) = (store, name) }
    }

    /// Creates a move.
    public init(from source: Place, to target: Place) { (self.source, self.target) = (source, target) }

    /// Moves everything.
    ///
    /// - Parameter copied: Called with the digest of each table of the source once its rows are copied.
    /// - Returns: The digests of all tables, equal in both stores.
    /// - Throws: `StoreMoveError`.
    public func run(copied: @Sendable (TableDigest) -> Void = { _ in }) async throws -> [TableDigest] {
        let epoch = try await during("the beginning") { try await begin() }
        var digests: [TableDigest] = []
        for table in StoreTable.all {
            digests.append(try await during("the table \(table.name)") { try await copy(table) })
            digests.last.map(copied)
        }
        try await during("the end") { try await target.store.write { try $0.finishImport(epoch: epoch) } }
        for (table, digest) in zip(StoreTable.all, digests) {
            let found = try await during("the comparison of \(table.name)") {
                try await Self.digest(of: table, in: target.store)
            }
            guard found == digest else { throw StoreMoveError.differs(table: table.name) }
        }
        try await during("the end") { try await finish(epoch) }
        return digests
    }

    /// Checks both stores, and marks the target as unfinished.
    ///
    /// - Returns: The source's epoch.
    private func begin() async throws -> String {
        let (mark, epoch) = try await source.store.read { tx in (try tx.moveMark(), try tx.epoch()) }
        let targetMark = try await target.store.read { tx in try tx.moveMark() }
        let isEmpty = try await target.store.read { tx in try tx.isEmpty() }
        let beginning = Beginning(
            source: mark, target: targetMark, isTargetEmpty: isEmpty, names: (source.name, target.name))
        let isAgain = try beginning.isAgain()
        try await target.store.write { [source] tx in try tx.setMoveMark(.unfinished(source: source.name)) }
        if isAgain { try await removeAll() }
        return epoch
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
    private func finish(_ epoch: String) async throws {
        for place in [source, target] { try await place.store.checkAlone() }
        guard try await source.store.read({ try $0.epoch() }) == epoch else { throw StoreMoveError.sourceChanged }
        try await source.store.write { [target] tx in try tx.setMoveMark(.moved(target: target.name)) }
        try await target.store.write { tx in try tx.setMoveMark(nil) }
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

    /// Adds to an error where the move has stopped.
    private func during<Result>(_ part: String, _ work: () async throws -> Result) async throws -> Result {
        do { return try await work() } catch let error as StoreMoveError { throw error } catch {
            throw StoreMoveError.stopped(at: part, reason: Self.reason(error), target: target.name)
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case StoreFailure.full(let reason): "the disk is full: \(reason)"
        case StoreFailure.busy(let reason): "the database is busy: \(reason)"
        case StoreFailure.unavailable(let reason): "the database can't be reached: \(reason)"
        default: "\(error)"
        }
    }

    /// The states of both stores at the beginning of a move. A pure value.
    struct Beginning {
        let source: MoveMark?
        let target: MoveMark?
        let isTargetEmpty: Bool
        let names: (source: String, target: String)

        /// Returns whether the target has rows of an interrupted move, which are removed first.
        ///
        /// - Throws: `StoreMoveError` if the move is refused.
        func isAgain() throws(StoreMoveError) -> Bool {
            var isAgain = false
            if case .unfinished? = target { isAgain = true }
            switch source {
            case .unfinished?: throw .sourceIsUnfinished(source: names.source)
            // An interrupted move to this target had compared everything, and may begin again.
            case .moved(let other)?:
                if !isAgain || other != names.target { throw .alreadyMoved(source: names.source, target: other) }
            case nil: break
            }
            guard isAgain || isTargetEmpty else { throw .targetHasData(target: names.target) }
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
    /// The source is itself the target of a move that has not finished.
    case sourceIsUnfinished(source: String)
    /// The source was moved before.
    case alreadyMoved(source: String, target: String)
    /// The move has stopped; `part` says where, and `reason` is the store's.
    case stopped(at: String, reason: String, target: String)
    /// A table of the target differs from that of the source.
    case differs(table: String)
    /// The source has another epoch than at the beginning: PostgreSQL has failed over, or it was restored.
    case sourceChanged

    public var description: String {
        switch self {
        case .targetHasData(let target):
            "\(target) has data: name an empty database or another directory. Nothing was changed"
        case .sourceIsUnfinished(let source):
            "\(source) is itself the target of a move that has not finished; finish that one first. Nothing was changed"
        case .alreadyMoved(let source, let target):
            "\(source) was moved to \(target) before, where devices may have written since: move from there. Nothing was changed"
        case .stopped(let part, let reason, let target):
            "the move has stopped at \(part): \(reason). The source is unchanged, and no server uses \(target), which is "
                + "unfinished; begin the move again"
        case .differs(let table):
            "the table \(table) differs between both stores, so the target stays unfinished, and the source is unchanged: look for "
                + "faults of the source with a check, and begin the move again"
        case .sourceChanged:
            "the source was changed meanwhile by a failover or a restore; no server uses the target, which is unfinished; begin the "
                + "move again"
        }
    }
}
