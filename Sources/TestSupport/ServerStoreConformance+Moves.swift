internal import Records
internal import SQLiteServerStore
internal import ServerCore
internal import SyncAPI

extension ServerStoreConformance {
    /// The export and import of everything, and its marks.
    static let moves: [ServerStoreConformance] = [
        ServerStoreConformance("what is moved into the store and out of it again is the same") { store in
            let first = try SQLiteServerStore()
            let last = try SQLiteServerStore()
            try await fill(first)
            let expected = try await content(of: first)
            for (source, target) in [(first, store), (store, last)] as [(any ServerStore, any ServerStore)] {
                let digests = try await move(source, target)
                try expect(digests, is: expected.digests, "the digests")
                try expect(try await content(of: target), is: expected, "the content")
                let mark = try await source.read { try $0.moveMark() }
                try expect(mark, is: .moved(target: "target", move: "move"), "the mark of the source")
            }
            let empty = expected.digests.filter { $0.rows == 0 }.map(\.table)
            try expect(empty, is: [], "the tables without a sample")
        },
        ServerStoreConformance("after an import, new rows have numbers after the imported ones") { store in
            let other = try SQLiteServerStore()
            try await fill(other)
            _ = try await move(other, store)
            try await store.write { tx in
                try tx.insertSpace(id: "later")
                try tx.insert(sample, for: key("later"))
                try tx.insert(StoredAudit(event: "later", at: 9, fields: [:]), limit: 9)
                try tx.markRestored(epoch: "later", now: 9)
                try tx.setRole(.owner, of: "account-anna", in: "later")
            }
            try await store.write { tx in
                try expect(try tx.memberships(of: "account-anna").map(\.space), is: ["later", "space"], "the spaces")
                try expect(try tx.shared(since: "former", in: "space"), is: 7, "a former epoch")
                try expect(try tx.shared(since: "later", in: "space"), is: nil, "the present epoch")
                try expect(try tx.outcome(of: key("later")), is: sample, "a new outcome")
                let events = try tx.removeOldestAudits(limit: 9).map(\.event)
                try expect(events, is: ["an-event", "later"], "the order of events")
            }
        },
        ServerStoreConformance("an interrupted import begins again") { store in
            let other = try SQLiteServerStore()
            try await fill(other)
            for table in StoreTable.all.prefix(6) {
                let rows = try await other.read { try $0.rows(of: table, after: nil, limit: 9) }
                try await store.write { try $0.insert(rows, into: table) }
            }
            // The source has changed since.
            try await other.write { _ = try $0.deleteInvite(id: "invite") }
            try await store.write { try $0.setMoveMark(.unfinished(source: "elsewhere")) }
            _ = try await move(other, store)
            try expect(try await content(of: store), is: try await content(of: other), "the content")
            let mark = try await store.read { try $0.moveMark() }
            try expect(mark, is: nil, "the mark of the target")
        },
        ServerStoreConformance("a move that was interrupted at its end is finished, however the places are named now") {
            store in
            let other = try SQLiteServerStore()
            try await fill(other)
            _ = try await move(other, store)
            // As if the target's mark had not been removed.
            try await store.write { try $0.setMoveMark(.unfinished(source: "source", move: "move")) }
            _ = try await StoreMove(
                from: StoreMove.Place(other, name: "SOURCE"), to: StoreMove.Place(store, name: "TARGET"), id: "another"
            ).run()
            try expect(try await content(of: store), is: try await content(of: other), "the content")
            try expect(try await store.read { try $0.moveMark() }, is: nil, "the mark of the target")
            let mark = try await other.read { try $0.moveMark() }
            try expect(mark, is: .moved(target: "TARGET", move: "move"), "the mark of the source")
        },
        ServerStoreConformance("a finished move is an event in the target alone") { store in
            let other = try SQLiteServerStore()
            try await fill(other)
            _ = try await StoreMove(
                from: StoreMove.Place(other, name: "source"), to: StoreMove.Place(store, name: "target"),
                audit: StoredAudit(event: "moved", at: 3, fields: ["by": "carol"])
            ).run()
            let events = try await store.write { try $0.removeOldestAudits(limit: 9) }
            try expect(events.map(\.event), is: ["an-event", "moved"], "the events of the target")
            try expect(events.last?.fields, is: ["by": "carol"], "the fields of the event")
            let former = try await other.write { try $0.removeOldestAudits(limit: 9).map(\.event) }
            try expect(former, is: ["an-event"], "the events of the source")
        },
        ServerStoreConformance("a mark of a newer version refuses a move, and stays") { store in
            let other = try SQLiteServerStore()
            try await store.write { try $0.setMoveMark(.unknown("later x\ny")) }
            do {
                _ = try await move(other, store)
                throw Failure(description: "the move was not refused")
            } catch StoreMoveError.unknownMark(place: "target") {}
            try expect(try await store.read { try $0.moveMark() }, is: .unknown("later x\ny"), "the mark")
        },
        ServerStoreConformance("a store with data is not the target of a move") { store in
            let other = try SQLiteServerStore()
            try await store.write { try $0.insertSpace(id: "s") }
            do {
                _ = try await move(other, store)
                throw Failure(description: "the move was not refused")
            } catch StoreMoveError.targetHasData {}
            for store in [other, store] as [any ServerStore] {
                try expect(try await store.read { try $0.moveMark() }, is: nil, "the mark")
            }
        },
        ServerStoreConformance("a restore removes the mark of a former move, but not that of an unfinished one") {
            store in
            for (mark, left) in [
                (.moved(target: "other"), nil), (.unfinished(source: "other"), .unfinished(source: "other")),
            ] as [(MoveMark, MoveMark?)] {
                try await store.write { try $0.setMoveMark(mark) }
                try await store.write { try $0.markRestored(epoch: "after \(mark)", now: 1) }
                try expect(try await store.read { try $0.moveMark() }, is: left, "the mark")
            }
        },
        ServerStoreConformance("rows are exported in the order of their keys' bytes, in limited batches") { store in
            let large = #"{"t":"\#(String(repeating: "x", count: 3 << 20))"}"#
            let ids = ["B", "a", "z", "é"]
            try await store.write { tx in
                try tx.insertSpace(id: "s")
                try tx.put(ids.reversed().enumerated().map { record($1, version: Int64($0) + 1) }, in: "s")
                try tx.put(
                    (1...3).map { record("\($0)", version: $0 + 9, collection: "x", fields: large) }, in: "s")
            }
            guard let table = StoreTable.all.first(where: { $0.name == "records" }) else { return }
            try await store.read { tx in
                let all = try tx.rows(of: table, after: nil, limit: 4)
                try expect(all.map { $0.values[2] }, is: ids.map { .text($0) }, "the order")
                var pages: [StoredRow] = []
                for limit in 1...3 {
                    pages += try tx.rows(of: table, after: pages.last.map(table.key(of:)), limit: limit)
                }
                try expect(Array(pages.prefix(4)), is: all, "in batches")
                let rest = try tx.rows(of: table, after: all.last.map(table.key(of:)), limit: 9)
                try expect(rest.count, is: 2, "until the bytes of a batch")
            }
        },
    ]

    // MARK: The content of a store

    /// Everything in a store.
    private struct Content: Equatable {
        let epoch: String
        let digests: [TableDigest]
    }

    private static func content(of store: any ServerStore) async throws -> Content {
        var digests: [TableDigest] = []
        for table in StoreTable.all { digests.append(try await StoreMove.digest(of: table, in: store)) }
        return Content(epoch: try await store.read { try $0.epoch() }, digests: digests)
    }

    private static func move(_ source: any ServerStore, _ target: any ServerStore) async throws -> [TableDigest] {
        try await StoreMove(
            from: StoreMove.Place(source, name: "source"), to: StoreMove.Place(target, name: "target"), id: "move"
        ).run()
    }

    // MARK: Samples

    private static func key(_ name: String) -> OutcomeKey {
        OutcomeKey(account: "account-anna", device: "laptop", key: name)
    }

    private static let sample = StoredOutcome(
        requestHash: [0, 255],
        results: [.applied(version: 7, clock: "{}"), .conflict, .rejected(problem: #"{"code":"é"}"#)],
        versions: 7...7, storedAt: 5)

    /// Fills an empty store with rows in every table, and with values of every kind.
    private static func fill(_ store: any ServerStore) async throws {
        try await store.write { tx in
            try fillAccounts(tx)
            try fillSpace(tx)
            try tx.insert(
                StoredInvite(
                    id: "invite", codeHash: [0], note: "für die “Familie”", uses: 2, used: 1, createdAt: 1, expiresAt: 9
                ))
            try tx.put(StoredAttempts(count: 3, last: 4, blockedUntil: 5, importance: .account), of: "account anna")
            try tx.insert(StoredAudit(event: "an-event", at: 1, fields: ["by": "carol"]), limit: 9)
        }
    }

    private static func fillAccounts(_ tx: any StoreWriting) throws {
        var anna = account("anna")
        anna.quota = AccountQuota(records: 5, bytes: 1 << 40)
        anna.disabledAt = 3
        for stored in [anna, account("ben")] { _ = try tx.insert(stored) }
        var password = session("password", of: "anna", device: "script")
        password.appPassword = StoredSession.AppPassword(scope: .readOnly, expiresAt: 9)
        try tx.put(session("laptop", of: "anna", device: "laptop"))
        try tx.put(password)
        try tx.put(session("ended", of: "ben", device: "phone"))
        try tx.insert(token(1, "laptop", generation: 2))
        try tx.insert(token(255, "ended"))
        try tx.deleteSession(id: "ended")
        try tx.put(StoredReset(account: "account-ben", codeHash: [1, 0, 2], expiresAt: 9))
        try tx.putDeviceProof([0, 7], account: "account-anna", device: "laptop", now: 1, limit: 9)
    }

    private static func fillSpace(_ tx: any StoreWriting) throws {
        // The first space is gone, so numbers have a gap.
        try tx.insertSpace(id: "gone")
        try tx.insertSpace(id: "space")
        _ = try tx.clear(space: "gone", limit: RemovalLimit())
        try tx.setRole(.owner, of: "account-anna", in: "space")
        try tx.put([record("a", version: 1, fields: #"{"t":"é \u0000 😀"}"#), record("b", version: 2)], in: "space")
        let keys = ["a", "b"].map { RecordKey(collection: "tasks", id: $0) }
        try tx.keepRevisions(of: keys, in: "space", limit: 5)
        try tx.put([record("b", version: 7, deleted: true)], in: "space")
        var digest = SpaceDigest()
        digest.add(collection: "tasks", id: "a", version: 1)
        try tx.addToDigests(["tasks": digest], in: "space")
        try tx.update(SpaceRow(id: "space", version: 7, tombstoneFloor: 1, digest: digest, records: 1))
        try tx.insert(sample, for: key("key"))
        // Begins another epoch, so that restores and marks have rows.
        let former = try tx.epoch()
        try tx.markRestored(epoch: "former", now: 2)
        try tx.update(SpaceRow(id: "space", version: 7, tombstoneFloor: 1, digest: digest, records: 1))
        try tx.markRestored(epoch: "after \(former)", now: 3)
    }
}
