import SQLiteServerStore
import Testing

@testable import ServerCore

/// A move whose stores fail while they are marked, or don't keep what is written.
@Suite struct StoppedMoveTests {
    private let source: SQLiteServerStore
    private let target: SQLiteServerStore

    init() async throws {
        source = try SQLiteServerStore(epoch: "first")
        target = try SQLiteServerStore(epoch: "second")
        try await source.write { try $0.insertSpace(id: "s") }
    }

    /// A store that refuses a mark, fails once it has stored it, or alters what was imported.
    private struct FailingStore: ServerStore {
        let store: SQLiteServerStore
        /// Returns whether a transaction that leaves this mark fails.
        var refuses: @Sendable (MoveMark?) -> Bool = { _ in false }
        /// Returns whether the answer to a transaction that leaves this mark is lost.
        var loses: @Sendable (MoveMark?) -> Bool = { _ in false }
        /// Called when the move checks that it is alone.
        var check: @Sendable (SQLiteServerStore) async throws -> Void = { _ in }
        /// Called in the transaction that ends an import.
        var alter: @Sendable (any StoreWriting) throws -> Void = { _ in }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReading) throws -> Result
        ) async throws -> Result { try await store.read(body) }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreWriting) throws -> Result
        ) async throws -> Result {
            let (result, isLost) = try await store.write { [refuses, loses, alter] tx -> (Result, Bool) in
                let before = try tx.moveMark()
                let epoch = try tx.epoch()
                let result = try body(tx)
                if try tx.epoch() != epoch { try alter(tx) }
                let after = try tx.moveMark()
                if after != before, refuses(after) { throw StoreFailure.unavailable(reason: "gone") }
                return (result, after != before && loses(after))
            }
            if isLost { throw StoreFailure.unavailable(reason: "gone") }
            return result
        }

        func checkExclusiveUse() async throws { try await check(store) }
    }

    private static let gone: @Sendable (SQLiteServerStore) async throws -> Void = { _ in
        throw StoreFailure.unavailable(reason: "gone")
    }

    private static func isMoved(_ mark: MoveMark?) -> Bool { if case .moved? = mark { true } else { false } }

    private static func isUnfinished(_ mark: MoveMark?) -> Bool { if case .unfinished? = mark { true } else { false } }

    private static let reason = "the database can't be used: gone"

    private func move(from source: any ServerStore, to target: any ServerStore) async throws {
        _ = try await StoreMove(
            from: StoreMove.Place(source, name: "a"), to: StoreMove.Place(target, name: "b"), id: "1"
        ).run()
    }

    /// Repeats the move with other names, and checks that it is finished then.
    private func checkThatARepetitionFinishes() async throws {
        _ = try await StoreMove(
            from: StoreMove.Place(source, name: "A"), to: StoreMove.Place(target, name: "B"), id: "2"
        ).run()
        let mark = try await source.read { try $0.moveMark() }
        #expect(Self.isMoved(mark))
        let (targetMark, space) = try await target.read { tx in (try tx.moveMark(), try tx.space("s")) }
        #expect(targetMark == nil)
        #expect(space != nil)
    }

    @Test func aMoveThatCannotMarkItsTargetHasNotBegun() async throws {
        let failing = FailingStore(store: target, refuses: { Self.isUnfinished($0) })
        await #expect(throws: StoreMoveError.notBegun(reason: Self.reason)) {
            try await move(from: source, to: failing)
        }
        let marks = [try await source.read { try $0.moveMark() }, try await target.read { try $0.moveMark() }]
        #expect(marks == [nil, nil])
        try await checkThatARepetitionFinishes()
    }

    @Test func aMoveWhoseStoresAreNotKeptForItAtTheEndMarksNothing() async throws {
        for (source, target) in [
            (FailingStore(store: source, check: Self.gone), FailingStore(store: target)),
            (FailingStore(store: source), FailingStore(store: target, check: Self.gone)),
        ] {
            await #expect(throws: StoreMoveError.stopped(at: "the end", reason: Self.reason, target: "b")) {
                try await move(from: source, to: target)
            }
            let mark = try await source.read { try $0.moveMark() }
            #expect(mark == nil)
            let targetMark = try await target.read { try $0.moveMark() }
            #expect(targetMark == .unfinished(source: "a", move: "1"))
        }
        try await checkThatARepetitionFinishes()
    }

    @Test func aMoveWhoseTargetHasAnotherRowAtTheEndMarksNothing() async throws {
        let altering = FailingStore(store: target, alter: { tx in try tx.update(SpaceRow(id: "s", version: 1)) })
        let error = StoreMoveError.tableDiffers(table: "spaces")
        await #expect(throws: error) { try await move(from: source, to: altering) }
        #expect(error.description.contains("the source is unchanged"))
        let mark = try await source.read { try $0.moveMark() }
        #expect(mark == nil)
        let targetMark = try await target.read { try $0.moveMark() }
        #expect(targetMark == .unfinished(source: "a", move: "1"))
        try await checkThatARepetitionFinishes()
        let version = try await target.read { try $0.space("s")?.version }
        #expect(version == 0)
    }

    @Test("A move that can't mark its source says that it isn't known whether it is marked", arguments: [true, false])
    func sourceMark(isStored: Bool) async throws {
        var failing = FailingStore(store: source)
        if isStored { failing.loses = { Self.isMoved($0) } } else { failing.refuses = { Self.isMoved($0) } }
        let error = StoreMoveError.sourceMarkUnknown(source: "a", target: "b", reason: Self.reason)
        await #expect(throws: error) { try await move(from: failing, to: target) }
        #expect(error.description.contains("it isn't known whether a was marked as moved"))
        #expect(!error.description.contains("unchanged"))
        let mark = try await source.read { try $0.moveMark() }
        #expect(mark == (isStored ? .moved(target: "b", move: "1") : nil))
        let targetMark = try await target.read { try $0.moveMark() }
        #expect(targetMark == .unfinished(source: "a", move: "1"))
        try await checkThatARepetitionFinishes()
    }

    @Test func aMoveThatCannotFinishItsTargetSaysThatTheSourceIsMoved() async throws {
        let failing = FailingStore(store: target, refuses: { $0 == nil })
        let error = StoreMoveError.targetMarkUnknown(source: "a", target: "b", reason: Self.reason)
        await #expect(throws: error) { try await move(from: source, to: failing) }
        #expect(error.description.contains("servers refuse a from now on"))
        let mark = try await source.read { try $0.moveMark() }
        #expect(mark == .moved(target: "b", move: "1"))
        let targetMark = try await target.read { try $0.moveMark() }
        #expect(targetMark == .unfinished(source: "a", move: "1"))
        try await checkThatARepetitionFinishes()
    }

    @Test func aFinishedMoveWhoseLastAnswerWasLostIsNotRepeated() async throws {
        let failing = FailingStore(store: target, loses: { $0 == nil })
        await #expect(throws: StoreMoveError.targetMarkUnknown(source: "a", target: "b", reason: Self.reason)) {
            try await move(from: source, to: failing)
        }
        await #expect(throws: StoreMoveError.alreadyMoved(source: "a", target: "b")) {
            try await move(from: source, to: target)
        }
        let mark = try await target.read { try $0.moveMark() }
        #expect(mark == nil)
    }

    @Test func aSourceThatWasRestoredMeanwhileIsNotMarkedAsMoved() async throws {
        let restored = FailingStore(
            store: source,
            check: { store in try await store.write { tx in try tx.markRestored(epoch: "later", now: 1) } })
        await #expect(throws: StoreMoveError.sourceChanged) { try await move(from: restored, to: target) }
        let mark = try await source.read { try $0.moveMark() }
        #expect(mark == nil)
        try await checkThatARepetitionFinishes()
    }
}
