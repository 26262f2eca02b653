import Testing

@testable import ServerCore

@Suite struct StoreMoveTests {
    @Test(
        arguments: [
            (nil, nil, true, false), (nil, .unfinished(source: "a"), false, true),
            (nil, .unfinished(source: "another"), false, true),
            (.moved(target: "b"), .unfinished(source: "a"), false, true),
            // The same move, whose places had other names.
            (.moved(target: "B", move: "1"), .unfinished(source: "A", move: "1"), false, true),
            (.moved(target: "b"), .unfinished(source: "a", move: "1"), false, true),
        ] as [(MoveMark?, MoveMark?, Bool, Bool)])
    func aMoveBeginsOrBeginsAgain(source: MoveMark?, target: MoveMark?, isEmpty: Bool, isAgain: Bool) throws {
        let beginning = StoreMove.InitialStates(
            source: source, target: target, isTargetEmpty: isEmpty, names: ("a", "b"))
        #expect(try beginning.isAgain() == isAgain)
    }

    @Test(
        arguments: [
            (nil, nil, false, .targetHasData(target: "b")),
            (nil, .moved(target: "c"), false, .targetHasData(target: "b")),
            (.unfinished(source: "c"), nil, true, .sourceIsUnfinished(source: "a")),
            (.moved(target: "c"), nil, true, .alreadyMoved(source: "a", target: "c")),
            (.moved(target: "b"), nil, true, .alreadyMoved(source: "a", target: "b")),
            (.moved(target: "c"), .unfinished(source: "a"), false, .alreadyMoved(source: "a", target: "c")),
            (
                .moved(target: "b", move: "1"), .unfinished(source: "a", move: "2"), false,
                .alreadyMoved(source: "a", target: "b")
            ),
            (.moved(target: "b", move: "1"), .unfinished(source: "a"), false, .alreadyMoved(source: "a", target: "b")),
            (.moved(target: "b", move: "1"), nil, false, .alreadyMoved(source: "a", target: "b")),
            (.unknown("x"), nil, true, .unknownMark(place: "a")),
            (nil, .unknown("x"), true, .unknownMark(place: "b")),
        ] as [(MoveMark?, MoveMark?, Bool, StoreMoveError)])
    func aMoveThatCouldLoseDataIsRefused(
        source: MoveMark?, target: MoveMark?, isEmpty: Bool, error: StoreMoveError
    ) {
        let beginning = StoreMove.InitialStates(
            source: source, target: target, isTargetEmpty: isEmpty, names: ("a", "b"))
        #expect(throws: error) { try beginning.isAgain() }
        #expect(error.description.hasSuffix("Nothing was changed"))
    }

    @Test func anEmptySourceIsRefused() {
        let beginning = StoreMove.InitialStates(
            source: nil, target: nil, isTargetEmpty: true, names: ("a", "b"), isSourceEmpty: true)
        #expect(throws: StoreMoveError.sourceIsEmpty(source: "a")) { try beginning.isAgain() }
    }

    @Test(
        arguments: [
            (.moved(target: "b", move: "1"), .unfinished(source: "a", move: "1"), "1"),
            (.moved(target: "b", move: "1"), .unfinished(source: "a", move: "2"), nil),
            (.moved(target: "b", move: "1"), nil, nil), (nil, .unfinished(source: "a", move: "1"), nil),
        ] as [(MoveMark?, MoveMark?, String?)])
    func aMoveThatHasMarkedBothStoresKeepsItsID(source: MoveMark?, target: MoveMark?, move: String?) {
        let beginning = StoreMove.InitialStates(source: source, target: target, isTargetEmpty: false, names: ("a", "b"))
        #expect(beginning.move == move)
    }

    @Test(
        arguments: [
            (.unfinished(source: "a"), [.server, .command, .mark]), (.moved(target: "b"), [.server, .command]),
            (.unknown("later"), [.server, .command, .mark]),
        ] as [(MoveMark, [StoreUse])])
    func aMarkRefusesThoseWhoWouldUseTheWrongStore(mark: MoveMark, refused: [StoreUse]) {
        #expect([.server, .command, .mark, .moveTarget, .moveSource].filter(mark.refuses) == refused)
    }

    @Test(
        arguments: [
            ("moved postgres://h/d", .moved(target: "postgres://h/d")),
            ("unfinished sqlite:/a directory", .unfinished(source: "sqlite:/a directory")),
            ("moved postgres://h/d\n7-e", .moved(target: "postgres://h/d", move: "7-e")),
            ("unfinished sqlite:/a directory\n7-e", .unfinished(source: "sqlite:/a directory", move: "7-e")),
            ("later", .unknown("later")), ("later sqlite:/a\nb", .unknown("later sqlite:/a\nb")), ("", .unknown("")),
        ] as [(String, MoveMark)])
    func aMarkIsReadFromItsText(text: String, mark: MoveMark) {
        #expect(MoveMark(stored: text) == mark)
    }

    @Test(arguments: [
        MoveMark.moved(target: "a b"), .unfinished(source: "sqlite:/data"), .moved(target: "a b", move: "1"),
        .unfinished(source: "sqlite:/data", move: "1"), .unknown("later x\ny"),
    ])
    func aMarkIsTheSameAfterItWasStored(mark: MoveMark) {
        #expect(MoveMark(stored: mark.text) == mark)
    }

    @Test func thePlaceOfAMarkIsOneLine() {
        let mark = MoveMark.moved(target: "sqlite:/a\nb", move: "1")
        #expect(MoveMark(stored: mark.text) == .moved(target: "sqlite:/a b", move: "1"))
    }

    @Test func theDigestDependsOnEachValueAndItsKindAndItsPlace() throws {
        let table = try #require(StoreTable.all.first)
        let rows: [[StoredValue]] = [
            [.text("ab"), .text("c")], [.text("a"), .text("bc")], [.bytes(Array("ab".utf8)), .text("c")],
            [.text("ab"), .null], [.text("ab"), .text("")], [.number(1), .number(2)], [.number(2), .number(1)],
        ]
        let hashes = rows.map { values in
            var digest = TableDigest(of: table)
            digest.add(StoredRow(values))
            return digest.hash
        }
        #expect(Set(hashes).count == rows.count)
    }

    @Test func eachTableComesAfterThoseToWhichItsRowsRefer() {
        let names = StoreTable.all.map(\.name)
        let references = [
            ("sessions", "accounts"), ("tokens", "sessions"), ("members", "accounts"), ("members", "spaces"),
            ("records", "spaces"), ("revisions", "spaces"), ("digests", "spaces"), ("marks", "restores"),
            ("marks", "spaces"), ("outcomes", "accounts"), ("outcome_results", "outcomes"), ("resets", "accounts"),
            ("device_proofs", "accounts"),
        ]
        for (table, referenced) in references {
            #expect(names.firstIndex(of: table) ?? -1 > names.firstIndex(of: referenced) ?? names.count)
        }
    }
}
