import Testing

@testable import Records

@Suite("The forms of a filter")
struct FilterFormsTests {
    private static let types = RecordTypes.standard.adding(
        RecordType(
            collection: "books", names: ["book", "books"],
            fields: [Field(.title, kind: .title), Field(FieldKey<Double>("rating"))]))

    private static let rows: [QueryRow] = [
        QueryRow(
            collection: "tasks", id: "milk",
            fields: [
                "title": "Buy milk", "tags": ["shop"], "project": "home.kitchen", "due": "2026-11-21T12:00:00Z",
                "priority": "L",
            ]),
        QueryRow(
            collection: "tasks", id: "crash",
            fields: [
                "title": "Fix crash", "tags": ["work"], "project": "core", "due": "2026-11-24T23:00:00Z",
                "priority": "H", "body": "See the log", "entry": "2026-11-20T10:00:00Z",
            ]),
        QueryRow(
            collection: "tasks", id: "bob",
            fields: [
                "title": "Call Bob", "status": "completed", "tags": ["home"], "end": "2026-11-21T08:00:00Z",
            ]),
        QueryRow(
            collection: "tasks", id: "paint",
            fields: [
                "title": "Paint the wall", "project": "home",
                "annotations": [["entry": "2026-11-01T00:00:00Z", "description": "Blue"]],
            ]),
        QueryRow(collection: "tasks", id: "tax", fields: ["title": "Old tax", "status": "deleted"]),
        QueryRow(collection: "notes", id: "ideas", fields: ["title": "Milkshake ideas", "body": "cold"]),
        QueryRow(collection: "books", id: "dune", fields: ["title": "Dune", "rating": 3]),
        QueryRow(collection: "books", id: "emma", fields: ["title": "Emma", "rating": 5]),
    ]

    private func query(_ words: [String]) throws -> Query {
        try Query(words, dates: DateExpressionTests.context(), types: Self.types)
    }

    private func ids(_ words: [String]) throws -> [String] {
        let context = QueryContext(conflicted: [RecordKey(collection: "tasks", id: "paint")])
        return try query(words).select(from: Self.rows, in: context).map(\.id).sorted()
    }

    @Test(
        "conditions are combined by or, and, not and parentheses",
        arguments: [
            (["+shop", "or", "+work"], ["crash", "milk"]), (["+shop", "OR", "+work"], ["crash", "milk"]),
            (["+shop", "or", "+work", "priority:L"], ["milk"]),
            (["+shop", "or", "+work", "priority:H"], ["crash", "milk"]),
            (["(", "+shop", "or", "+work", ")", "priority:H"], ["crash"]),
            (["(+shop or +work)", "priority:H"], ["crash"]),
            (["priority:H", "and", "(+shop", "or", "+work)"], ["crash"]),
            (["not", "+shop", "task"], ["bob", "crash", "paint", "tax"]),
            (["not", "(+shop", "or", "+work)", "task"], ["bob", "paint", "tax"]),
            (["-(+shop or +work)", "task"], ["bob", "paint", "tax"]),
            (["not", "+shop", "and", "task", "or", "note"], ["bob", "crash", "ideas", "paint", "tax"]),
            (["not", "not", "+shop"], ["milk"]), (["not", "not:+shop", "due:any"], ["milk"]),
            (["((+shop))"], ["milk"]), (["+shop", "or", "+work", "--", "milk"], ["milk"]),
            (["done", "or", "book"], ["bob", "dune", "emma"]),
            (["+shop", "sort:due", "or", "+work"], ["crash", "milk"]),
            (["due:today", "due:tomorrow"], []), (["+shop,work"], ["crash", "milk"]),
            (["-shop,work", "task"], ["bob", "paint", "tax"]),
            (["-done,note", "due:none"], ["dune", "emma", "paint", "tax"]),
            (["+shop", "xor", "priority:L"], []), (["+shop", "xor", "priority:H"], ["crash", "milk"]),
            (["due:any", "xor", "+shop"], ["crash"]), (["book", "xor", "+shop", "or", "book"], ["milk"]),
            (["+shop", "xor", "due:any", "xor", "project:any", "task"], ["milk", "paint"]),
            (["not", "(+shop", "XOR", "due:any)", "task"], ["bob", "milk", "paint", "tax"]),
        ] as [([String], [String])])
    func signs(words: [String], expected: [String]) throws {
        #expect(try ids(words) == expected)
    }

    @Test(
        "a value may be excluded, missing, any, in a range, or a regular expression",
        arguments: [
            (["priority!=H", "task"], ["bob", "milk", "paint", "tax"]),
            (["project!=home", "task"], ["bob", "crash", "tax"]),
            (["due!=today", "due:any"], ["crash"]), (["priority!=", "task"], ["crash", "milk"]),
            (["due:mon..fri"], ["crash"]), (["due:2026-11-21..2026-11-24"], ["milk"]),
            (["due:2026-11-21..2026-11-25"], ["crash", "milk"]), (["due:..mon"], ["milk"]), (["due:mon.."], ["crash"]),
            (["due:none", "task"], ["bob", "paint", "tax"]), (["due:any"], ["crash", "milk"]),
            (["priority:none", "task"], ["bob", "paint", "tax"]), (["tags:any"], ["bob", "crash", "milk"]),
            (["rating:2..4"], ["dune"]), (["rating:4.."], ["emma"]), (["rating:..5"], ["dune", "emma"]),
            (["rating!=3", "book"], ["emma"]), (["/^buy|emma$/"], ["emma", "milk"]),
            (["title:/m[ia]l?k/"], ["ideas", "milk"]), (["project:/^home$/"], ["paint"]),
            (["-/milk/", "task"], ["bob", "crash", "paint", "tax"]), (["/blue/"], ["paint"]),
            (["has:body"], ["crash", "ideas"]), (["has:notes"], ["paint"]), (["has:annotations"], ["paint"]),
            (["not:has:tags", "task"], ["paint", "tax"]), (["has:conflict"], ["paint"]),
            (["-has:conflict", "project:home"], ["milk"]), (["has:field.rating"], ["dune", "emma"]),
        ] as [([String], [String])])
    func values(words: [String], expected: [String]) throws {
        #expect(try ids(words) == expected)
    }

    @Test(
        "mon..fri is the current week until its Friday, then the next one",
        arguments: [
            ("2026-11-23T09:00:00Z", "mon..fri", ["tue", "wed"]), ("2026-11-24T09:00:00Z", "mon..fri", ["tue", "wed"]),
            ("2026-11-26T09:00:00Z", "mon..fri", ["tue", "wed"]), ("2026-11-28T09:00:00Z", "mon..fri", ["next"]),
            ("2026-11-24T09:00:00Z", "sat..tue", ["next"]), ("2026-11-24T09:00:00Z", "wed..tue", ["wed", "next"]),
        ] as [(String, String, [String])])
    func weekdays(now: String, range: String, expected: [String]) throws {
        let rows = [("tue", "2026-11-24"), ("wed", "2026-11-25"), ("next", "2026-12-01")].map { id, due in
            QueryRow(collection: "tasks", id: id, fields: ["title": "Water", "due": .string(due)])
        }
        let dates = try DateExpressionTests.context(now)
        let query = try Query(["due:" + range, "sort:due"], dates: dates, types: Self.types)
        #expect(query.select(from: rows).map(\.id) == expected)
    }

    @Test(
        "edited and modified mean the last edit, and only such filters need it",
        arguments: [
            ("edited:today", ["new"]), ("edited:yesterday", ["old"]), ("edited>=today", ["new"]),
            ("edited<today", ["old"]), ("modified.after:yesterday", ["new"]), ("modified.before:today", ["old"]),
            ("modified.is:today", ["new"]), ("modified.not:today", ["imported", "old"]),
            ("edited:yesterday..today", ["new", "old"]), ("edited!=today", ["imported", "old"]),
            ("-edited:today", ["imported", "old"]), ("edited:..yesterday", ["old"]),
        ] as [(String, [String])])
    func edits(word: String, expected: [String]) throws {
        let rows = [("new", "2026-11-21T08:00:00Z"), ("old", "2026-11-20T08:00:00Z"), ("imported", nil)].map { id, at in
            QueryRow(
                collection: "tasks", id: id, fields: ["title": "Water", "modified": "2026-11-21T08:00:00Z"],
                edited: at.flatMap { Timestamp($0) }.map { HLC(milliseconds: UInt64($0.seconds) * 1_000, device: "a") })
        }
        let query = try query([word])
        #expect(query.readsEdits)
        #expect(query.select(from: rows).map(\.id).sorted() == expected)
        #expect(try !self.query(["due:today"]).readsEdits)
        #expect(try self.query(["sort:modified"]).readsEdits)
    }

    @Test("a declared field named edited has this name in filters; a date that can't be read is refused")
    func namesOfEdits() throws {
        let types = RecordTypes([
            RecordType(
                collection: "books", names: ["book", "books"],
                fields: [Field(.title, kind: .title), Field(FieldKey<Double>("edited"))])
        ])
        let dates = try DateExpressionTests.context()
        let row = QueryRow(collection: "books", id: "dune", fields: ["edited": 3])
        #expect(try Query(["edited>2"], dates: dates, types: types).matches(row))
        #expect(throws: InputError.self) { try query(["edited:sometime"]) }
    }

    @Test(
        "names and modifiers of other programs are understood",
        arguments: [
            (["created:2026-11-20"], ["crash"]), (["completed:today"], ["bob"]), (["completed"], ["bob"]),
            (["status:deleted"], ["tax"]), (["status:recurring"], []), (["status.is:nonsense"], []),
            (["pri:H"], ["crash"]),
            (["proj:core"], ["crash"]), (["desc:milk"], ["ideas", "milk"]), (["description:bob"], ["bob"]),
            (["due.before:mon"], ["milk"]), (["due.after:today"], ["crash"]), (["due.by:today"], ["milk"]),
            (["due.is:today"], ["milk"]), (["due.not:today", "due.any:"], ["crash"]),
            (["due.none:", "task"], ["bob", "paint", "tax"]), (["title.contains:MILK"], ["ideas", "milk"]),
            (["title.has:crash"], ["crash"]), (["title.hasnt:a", "task"], ["milk"]),
            (["title.startswith:buy"], ["milk"]), (["title.endswith:ideas"], ["ideas"]),
            (["title.word:milk"], ["milk"]),
            (["title.noword:milk", "due:any"], ["crash"]), (["tags.has:sho"], ["milk"]),
            (["project.is:home"], ["paint"]),
            (["project.not:home", "task"], ["bob", "crash", "milk", "tax"]), (["priority.is:high"], ["crash"]),
        ] as [([String], [String])])
    func modifiers(words: [String], expected: [String]) throws {
        #expect(try ids(words) == expected)
    }

    @Test(
        "a day or a period means the open records that are due then",
        arguments: [
            ("today", ["milk"]), ("tomorrow", []), ("yesterday", []), ("week", ["milk"]), ("month", ["crash", "milk"]),
            ("overdue", []), ("-today", ["bob", "crash", "dune", "emma", "ideas", "paint", "tax"]),
        ])
    func days(word: String, expected: [String]) throws {
        #expect(try ids([word]) == expected)
        let done = QueryRow(
            collection: "tasks", id: "x", fields: ["status": "completed", "due": "2026-11-21T12:00:00Z"])
        #expect(try query([word]).matches(done) == word.hasPrefix("-"))
    }

    @Test(
        "a virtual tag means the words of its state; with - it is negated",
        arguments: [
            ("+TODAY", ["milk"]), ("+OVERDUE", []), ("+TAGGED", ["bob", "crash", "milk"]),
            ("+PROJECT", ["crash", "milk", "paint"]), ("+PRIORITY", ["crash", "milk"]), ("+COMPLETED", ["bob"]),
            ("+DELETED", ["tax"]), ("+ANNOTATED", ["paint"]), ("+MONTH", ["crash", "milk"]),
            ("-TAGGED,ANNOTATED", ["dune", "emma", "ideas", "tax"]), ("+COMPLETED,DELETED", ["bob", "tax"]),
            ("not:+PENDING", ["bob", "tax"]), ("+DUE", ["crash", "milk"]), ("+overdue", []), ("+UDA", []),
        ])
    func virtualTags(word: String, expected: [String]) throws {
        #expect(try ids([word]) == expected)
    }

    @Test(
        "every virtual tag has a meaning for tasks; without such a state it is an ordinary tag",
        arguments: VirtualTag.allCases)
    func allVirtualTags(tag: VirtualTag) throws {
        let word = "+" + tag.rawValue
        #expect(try query([word]).terms != [.word(field: "tags", tag.rawValue)])
        let dates = try DateExpressionTests.context()
        let plain = RecordTypes([
            RecordType(collection: "books", names: ["book", "books"], fields: [Field(.title, kind: .title)])
        ])
        let unknown = try Query([word], dates: dates, types: plain)
        #expect(unknown.terms == [.word(field: "tags", tag.rawValue)])
        #expect(try SearchQuery([word], dates: dates, types: Self.types).filter == query([word]))
    }

    @Test("addresses, times and words without a field name are searched for")
    func texts() throws {
        let words = ["http://x.org", "5:30", "std::map", "mailto:a@b.org", "x=y", "E=mc2", "/", "//"]
        #expect(try query(words).terms == words.map { .text($0, in: Self.types.catalog.searched) })
    }

    @Test("limit: is the size of the window; that of a saved filter is replaced")
    func limit() throws {
        #expect(try query(["limit:3", "+shop"]).limit == 3)
        #expect(try query(["+shop"]).limit == nil)
        let parts: [FilterPart] = [.word("limit:3"), .saved("x", [.word("limit:5"), .word("sort:due")])]
        let both = try Query(parts: parts, dates: DateExpressionTests.context(), types: .standard)
        #expect(both.limit == 3)
        #expect(!both.isInDefaultOrder)
    }

    @Test("Conflicts are read only for a filter that asks for them")
    func conflicts() throws {
        #expect(try query(["+shop", "or", "not", "has:conflict"]).readsConflicts)
        #expect(try !query(["+shop", "or", "has:body"]).readsConflicts)
    }

    @Test(
        "an invalid filter is refused, and the message says what to write",
        arguments: [
            (["(", "+a"], "There is a ( without a ). Write both, as in ( +shop or +house ). "),
            (["+a)"], "There is a ) without a (. Write both, as in ( +shop or +house ). "),
            (["+a", "or"], "A condition is missing at “or”. Write one on both sides, as in +shop or +house. "),
            (["or", "+a"], "A condition is missing at “or”. Write one on both sides, as in +shop or +house. "),
            (
                ["+a", "and", "or", "+b"],
                "A condition is missing at “or”. Write one on both sides, as in +shop or +house. "
            ),
            (["+a", "xor"], "A condition is missing at “xor”. Write one on both sides, as in +shop xor +house. "),
            (["+a", "and"], "A condition is missing at “and”. Write one on both sides, as in +shop and +house. "),
            (["(+a", "not)"], "A condition is missing after “not”. Write one, as in not +shop. "),
            (["()"], "There is no condition between ( and ). Write one, as in ( +shop or +house ). "),
            (["due=today"], "Write due:today instead of “due=today”. "),
            (["pri==H"], "Write pri:H instead of “pri==H”. "),
            (["foo:bar"], "Unknown field “foo:”. For a field of your own, write “field.foo:bar”. "),
            (["foo!=bar"], "Unknown field “foo:”. For a field of your own, write “field.foo:bar”. "),
            (
                ["recur:weekly"],
                "Unknown field “recur:”. Did you mean “repeat:”? For a field of your own, write “field.recur:weekly”. "
            ),
            (["has:colour"], "Unknown field in “has:colour”. For a field of your own, write “has:field.colour”. "),
            (
                ["due.soon:x"],
                "Unknown modifier “.soon” in “due.soon:”. Known modifiers are .before, .after, .by, .is, .not, .has, "
                    + ".hasnt, .startswith, .endswith, .word, .noword, .none and .any, as in due.is:. "
            ),
        ] as [([String], String)])
    func refused(words: [String], message: String) throws {
        let error = try #require(throws: InputError.self) { try query(words) }
        #expect(error.description == message + "To search for the text, write it after --.")
    }

    @Test(
        "an invalid value is refused, and the message says what to write",
        arguments: [
            (
                ["not", "sort:due"],
                "“sort:due” is not a condition, so “not” can't be before it. The reverse order is sort:-due."
            ),
            (
                ["-sort:due"],
                "“sort:due” is not a condition, so “not” can't be before it. The reverse order is sort:-due."
            ),
            (
                ["limit:page"],
                "“limit:page” needs a number of records from 1 to 10000, as in limit:20. Without it, a list has its "
                    + "usual length."
            ),
            (
                ["due:2026-12-24..2026-12-01"],
                "The range “2026-12-24..2026-12-01” ends before it begins. Write the smaller value first."
            ),
            (["rating:4..2"], "The range “4..2” ends before it begins. Write the smaller value first."),
            (["rating:a..2"], "The field “rating” must be a number, not “a”. Write a number, or rating: for none."),
            (
                ["status:nonsense"],
                "Unknown status “nonsense”. Write status:pending, status:completed, or status: for none."
            ),
            (
                ["/" + String(repeating: "x", count: 257) + "/"],
                "The regular expression has 257 characters; at most 256 are allowed. Write a shorter one."
            ),
            (
                Array(repeating: "(", count: 60),
                "The filter has more than 50 parentheses or saved filters in each other. Write fewer."
            ),
        ] as [([String], String)])
    func invalid(words: [String], message: String) throws {
        let error = try #require(throws: InputError.self) { try query(words) }
        #expect(error.description == message)
    }

    @Test("an invalid regular expression is refused with its error")
    func invalidPattern() throws {
        let error = try #require(throws: InputError.self) { try query(["title:/(a/"]) }
        #expect(error.description.hasPrefix("Can't read the regular expression /(a/: "))
        #expect(error.description.hasSuffix(" To search for the text, write it after --."))
    }

    @Test(
        "the usual filters of Taskwarrior can be typed",
        arguments: [
            "project:Home", "project.is:Home", "project.not:Home", "project:", "+tag", "-tag", "+a or +b",
            "( project:Home or +garden ) priority:H", "due:today", "due.before:eow", "due.after:today", "due.by:eom",
            "due:",
            "due.none:", "due.any:", "priority:H", "pri.not:L", "status:pending", "status:completed",
            "description.contains:milk", "desc.has:milk", "/milk/", "limit:10", "entry.after:2026-01-01",
            "end.after:-1w",
            "not ( +a or +b )", "+a xor +b", "+OVERDUE", "-BLOCKED", "+READY",
        ])
    func taskwarrior(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let typed = try query(words)
        #expect(!typed.terms.isEmpty || typed.limit != nil)
        // No word is only searched for.
        let areTexts = typed.terms.map { if case .text = $0 { true } else { false } }
        #expect(!areTexts.contains(true))
    }
}
