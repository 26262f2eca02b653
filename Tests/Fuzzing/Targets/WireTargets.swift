internal import Backend
internal import Records
internal import SyncAPI

// Bodies of requests and answers.
extension FuzzTarget {
    static let wire = [
        FuzzTarget(bytes: "body") { input in
            guard let json = try? JSONValue(parsing: input) else { return }
            try checkBody(RegisterRequest.self, json)
            try checkBody(LogInRequest.self, json)
            try checkBody(RefreshRequest.self, json)
            try checkBody(PasswordChangeRequest.self, json)
            try checkBody(AccountDeletionRequest.self, json)
            try checkBody(ResetLogInRequest.self, json)
            try checkBody(DeviceNameRequest.self, json)
            try checkBody(SignOutRequest.self, json)
            try checkBody(AppPasswordRequest.self, json)
            // Those that a client receives.
            try checkBody(SessionGrant.self, json)
            try checkBody(AccountStatus.self, json)
            try checkBody(DeviceList.self, json)
            try checkBody(SignOutAnswer.self, json)
            try checkBody(AppPasswordGrant.self, json)
            try checkBody(SpaceList.self, json)
            try checkBody(Capabilities.self, json)
            try checkProblem { _ = try RecordBody.replacement(checking: json) }
            try checkProblem { _ = try RecordBody.patch(checking: json) }
            try checkProblem {
                let push = try PushRequest(checking: json)
                var writer = PushRequest.Writer(since: push.since)
                for mutation in push.mutations { _ = writer.append(mutation, maximumBytes: .max) }
                let again = try mustParse(writer.body) { try PushRequest(checking: JSONValue(parsing: writer.body)) }
                try expect(again == push, "a push is written as another")
            }
            if let record = Record(json: json) {
                let written = String(decoding: RawRecord(record).body, as: UTF8.self)
                // The names of keys and devices are checked where they are used.
                if record.key.isValid, RecordKey.isIdentifier(record.modifiedBy), record.modifiedAt.utf8.count == 24,
                    record.modifiedAt.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 < 0x7F })
                {
                    let again = try mustParse(written) { Record(json: try JSONValue(parsing: written)) }
                    try expect(record.deleted || again == record, "a record is written as another")
                }
            }
        },
        FuzzTarget(bytes: "answer") { input in
            do {
                let page = try ChangesPage(body: input)
                try check(page.records)
                // The cursor is written as it is: a server's own has no character that JSON escapes.
                if JSONValue.string(page.cursor).text == "\"\(page.cursor)\"" {
                    let body = page.body()
                    try expectSame(try ChangesPage(body: body), page, body)
                }
            } catch { try expectReason(error) }
            for name in [RecordPage.Name.records, .revisions] {
                do {
                    let page = try RecordPage(name, body: input)
                    try check(page.records)
                    let body = page.body(name)
                    try expectSame(try RecordPage(name, body: body), page, body)
                } catch { try expectReason(error) }
            }
            do { _ = try PushAnswer(body: input) } catch { try expectReason(error) }
            if let json = try? JSONValue(parsing: input) {
                let problem = Problem(json: json, status: 400)
                try expect(Problem(json: problem.json, status: 400) == problem, "a problem is written as another")
            }
        },
        FuzzTarget(bytes: "events") { input in
            // The first byte says where the input is cut, the second the limit.
            guard input.count > 2 else { return }
            let (cut, limit, bytes) = (Int(input[0]), 1 + Int(input[1]), input[2...])
            var whole = EventStreamParser(limit: limit)
            var pieces = EventStreamParser(limit: limit)
            let items: [EventStreamParser.Item]
            do { items = try whole.items(completedBy: bytes) } catch {
                // A byte that isn't UTF-8 becomes a character of three.
                try expect(3 * bytes.count >= limit, "\(bytes.count) bytes are too many for a limit of \(limit)")
                return
            }
            var found: [EventStreamParser.Item] = []
            for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: cut + 1) {
                let piece = bytes[start..<min(start + cut + 1, bytes.endIndex)]
                found += try mustParse("\(piece)") { try pieces.items(completedBy: piece) }
            }
            try expect(found == items, "the events depend on how they arrive")
            for case .event(let type, let data, let id) in items {
                try expect(!type.isEmpty, "an event without a type")
                try expect(data.utf8.count <= 3 * limit, "the data are larger than the limit")
                try expect(!id.utf8.contains(0), "an id with NUL")
                guard let event = try? ChangeEvent(data: data, id: id) else { continue }
                // Ids and cursors of a server need no escaping.
                guard RecordKey.isIdentifier(event.space), RecordKey.isIdentifier(event.cursor) else { continue }
                var again = EventStreamParser()
                let read = try again.items(completedBy: Array(event.text.utf8))
                try expect(read.count == 1, "an event is written as \(read.count)")
            }
        },
    ]

    /// A body that is accepted is encoded as the same body; one that isn't is answered by a bounded problem.
    private static func checkBody<Body: WireBody>(_ type: Body.Type, _ json: JSONValue) throws {
        try checkProblem {
            let bytes = try JSONBody.encode(try Body(checking: json))
            let written = String(decoding: bytes, as: UTF8.self)
            let again = try mustParse(written) { try JSONBody.encode(try Body(checking: JSONValue(parsing: bytes))) }
            try expect(again == bytes, "a body is written as another: \(written)")
        }
    }

    private static func checkProblem(_ body: () throws -> Void) throws {
        do { try body() } catch let problem as Problem {
            try expect(problem.status == 422, "a wrong body is answered with \(problem.status)")
            let errors = problem.extensions["errors"]?.array ?? []
            try expect((1...20).contains(errors.count), "a wrong body has \(errors.count) errors")
            try expect(
                (try? JSONValue(parsing: problem.json.text)) == problem.json, "a problem is written as another")
        }
    }

    private static func check(_ list: RecordList) throws {
        try expect(list.count >= 0, "a negative number of records")
        guard let records = try? list.records() else { return }
        try expect(records.count == list.count, "\(list.count) records are counted and \(records.count) parsed")
        try expect(records.last.map(\.version) == list.lastVersion, "the last version is another")
    }

    private static func expectSame<Value: Equatable>(
        _ read: @autoclosure () throws -> Value, _ value: Value, _ body: [UInt8]
    ) throws {
        let written = String(decoding: body, as: UTF8.self)
        try expect(try mustParse(written, read) == value, "an answer is written as another: \(written)")
    }

    private static func expectReason(_ error: any Error) throws {
        if let error = error as? MalformedAnswer {
            try expect(!error.reason.isEmpty, "an error without a reason")
        } else {
            throw error
        }
    }
}
