import Records
import Testing

@Suite("Urgency")
struct UrgencyTests {
    private let now = Timestamp(seconds: 1_795_000_000)

    private func moment(days: Double) -> JSONValue {
        .string(Timestamp(seconds: now.seconds + Int64(days * 86_400)).description)
    }

    private func value(_ fields: JSONObject, of collection: String = "tasks", among others: [QueryRow] = []) throws
        -> Double?
    {
        let row = QueryRow(collection: collection, id: "x", fields: fields)
        let context = QueryContext(links: RecordLinks(others + [row], types: .standard))
        let dates = try DateExpressionTests.context(now.description)
        return Urgency(.standard, dates: dates).value(of: row, in: context)
    }

    @Test(
        "a deadline counts from two weeks ahead to a week past",
        arguments: [(30, 2.4), (14, 2.4), (3.5, 7.2), (0, 8.8), (-3.5, 10.4), (-7, 12), (-30, 12)] as [(Double, Double)]
    )
    func deadline(days: Double, urgency: Double) throws {
        #expect(try value(["due": moment(days: days)]) == urgency)
    }

    @Test(
        "the age counts in whole days, up to a year",
        arguments: [(-0.9, 0), (-73, 0.4), (-73.9, 0.4), (-365, 2), (-900, 2), (-1, 0.005)] as [(Double, Double)])
    func age(days: Double, urgency: Double) throws {
        #expect(try value(["entry": moment(days: days)]) == urgency)
    }

    @Test(
        "each further fact has its weight",
        arguments: [
            (["priority": "H"], 6), (["priority": "M"], 3.9), (["priority": "L"], 1.8), (["priority": "X"], 0),
            (["project": "home"], 1), (["tags": ["a"]], 0.8), (["tags": ["a", "b"]], 0.9),
            (["tags": ["a", "b", "c", "d"]], 1), (["tags": ["next"]], 15.8), (["start": "2026-11-01T00:00:00Z"], 4),
            (["annotations": [["entry": "2026-11-01T00:00:00Z", "description": "x"]]], 0.8), ([:], 0),
            (["scheduled": "2026-01-01T00:00:00Z"], 5), (["scheduled": "2036-01-01T00:00:00Z"], 0),
            (["wait": "2036-01-01T00:00:00Z"], -3), (["wait": "2026-01-01T00:00:00Z"], 0),
            (["wait": "2036-01-01T00:00:00Z", "status": "completed"], 0),
        ] as [(JSONObject, Double)])
    func facts(fields: JSONObject, urgency: Double) throws {
        #expect(try value(fields) == urgency)
    }

    @Test("a day counts from its start in the user's time zone")
    func days() throws {
        for name in ["due", "scheduled", "wait"] {
            #expect(try value([name: "2026-11-20"]) == value([name: "2026-11-19T23:00:00Z"]), "\(name)")
        }
        #expect(try value(["scheduled": "2026-11-18"]) == 5)
        #expect(try value(["scheduled": "2026-11-19"]) == 0)
        #expect(try value(["wait": "2026-11-18"]) == 0)
        #expect(try value(["wait": "2026-11-19"]) == -3)
    }

    @Test("a record that blocks others is more urgent, one that is blocked less; notes have no urgency")
    func links() throws {
        let other = QueryRow(collection: "tasks", id: "y", fields: [:])
        let dependent = QueryRow(collection: "tasks", id: "z", fields: ["depends": ["x"]])
        #expect(try value(["depends": ["y"]], among: [other]) == -5)
        #expect(try value(["depends": ["unknown"]], among: [other]) == 0)
        #expect(try value([:], among: [dependent]) == 8)
        #expect(try value(["depends": ["y"]], among: [other, dependent]) == 3)
        #expect(try value([:], of: "notes") == nil)
    }

    @Test("sort:urgency begins with the most urgent, sort:-urgency with the least urgent; others are last")
    func order() throws {
        let rows = [
            QueryRow(collection: "tasks", id: "low", fields: ["priority": "L"]),
            QueryRow(collection: "notes", id: "note", fields: [:]),
            QueryRow(collection: "tasks", id: "high", fields: ["priority": "H"]),
        ]
        let ids = { (word: String) in
            try Query([word], dates: DateExpressionTests.context(), types: .standard).select(from: rows).map(\.id)
        }
        #expect(try ids("sort:urgency") == ["high", "low", "note"])
        #expect(try ids("sort:-urgency") == ["low", "high", "note"])
    }
}
