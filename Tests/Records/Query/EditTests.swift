import Records
import Testing

@Suite("Edits as people type them")
struct EditTests {
    private func edit(_ words: String...) throws -> Edit { try Edit(words, dates: DateExpressionTests.context()) }

    @Test("words make fields; the rest is the title")
    func fields() throws {
        let edit = try edit("Buy", "+shop", "oat", "due:tomorrow", "milk", "priority:high", "project:home", "field.x:1")
        #expect(
            edit.fields == [
                "title": "Buy oat milk", "due": "2026-11-21T23:00:00Z", "priority": "H", "project": "home", "x": "1",
            ])
        #expect(edit.addedTags == ["shop"])
    }

    @Test("an interval is kept in its canonical form, with the zone where it was typed, and begins anew with the due")
    func intervals() throws {
        #expect(
            try edit("repeat:every 2 weeks").fields == [
                "repeat": "2w", "repeatZone": "Europe/Berlin", "repeatFrom": .null,
            ])
        #expect(try edit("repeat:").fields == ["repeat": .null, "repeatZone": .null, "repeatFrom": .null])
        #expect(throws: InputError.interval("soon")) { try edit("repeat:soon") }
    }

    @Test("a name without a value removes the field")
    func removal() throws {
        #expect(try edit("due:", "project:").patch(for: ["due": "x", "title": "a"]) == ["due": .null])
    }

    @Test("tags are added to and removed from what there is")
    func tags() throws {
        let edit = try edit("+new", "-old", "+kept")
        #expect(edit.patch(for: ["tags": ["kept", "old", 5]]) == ["tags": ["kept", 5, "new"]])
        #expect(try self.edit("-old").patch(for: ["tags": ["old"]]) == ["tags": .null])
        #expect(try self.edit("-old").patch(for: [:]).isEmpty)
        #expect(try self.edit("+a", "-a").patch(for: ["tags": ["b"]]).isEmpty)
        #expect(try self.edit("tags:x,y", "+z").patch(for: ["tags": ["a"]]) == ["tags": ["x", "y", "z"]])
    }

    @Test("what is so already makes no patch")
    func unchanged() throws {
        #expect(try edit("Buy milk", "+shop").patch(for: ["title": "Buy milk", "tags": ["shop"]]).isEmpty)
        #expect(try edit().isEmpty)
    }

    @Test("addresses, colons, numbers and all after -- are words of the title")
    func titles() throws {
        #expect(try edit("Re:", "http://x.org", "-5", "+3", "a<b").fields == ["title": "Re: http://x.org -5 +3 a<b"])
        #expect(try edit("+a", "--", "+b", "due:x").fields == ["title": "+b due:x"])
        #expect(try edit("--").isEmpty)
    }

    @Test("a value torn off by a space, and a name that isn't known with nothing beside it, make no title")
    func slips() throws {
        #expect(throws: InputError.torn("due", "friday")) { try edit("due:", "friday") }
        #expect(throws: InputError.torn("project", "home")) { try edit("Buy", "milk", "project:", "home") }
        #expect(throws: InputError.unknownName("depends", nearest: nil)) { try edit("depends:2") }
        #expect(try edit("Call", "depends:2").fields == ["title": "Call depends:2"])
        #expect(try edit("Friday", "due:").fields == ["title": "Friday", "due": .null])
        #expect(try edit("https://x.org").fields == ["title": "https://x.org"])
        #expect(try edit("--", "depends:2").fields == ["title": "depends:2"])
    }

    @Test("a title given twice, by name and by the other words, is refused")
    func titleTwice() throws {
        #expect(throws: InputError.titleTwice) { try edit("title:Milk", "Bread") }
        #expect(try edit("title:Milk").fields == ["title": "Milk"])
    }

    @Test("a status that is called done is completed")
    func status() throws { #expect(try edit("status:done").fields == ["status": "completed"]) }

    @Test("slips are refused, and the message says what to do")
    func refused() throws {
        for (words, hint) in [
            ("due:tomorow", "tomorrow"), ("prio:H", "priority:"), ("priority:9", "priority:H"),
            ("title:", "give it some text"),
            ("title: ", "give it some text"), ("title:a\nb", "several lines"),
            ("project:" + String(repeating: "p", count: 257), "too long"),
            ("+" + String(repeating: "t", count: 257), "too long"),
        ] {
            let error = try #require(throws: InputError.self) { try edit(words) }
            #expect(error.description.contains(hint), "\(error)")
        }
    }

    @Test("a title of 1 MiB is refused with its size and what to do")
    func hugeTitle() throws {
        let error = try #require(throws: InputError.self) { try edit(String(repeating: "x", count: 1 << 20)) }
        #expect(
            error.description
                == "The title is too long: 1024 KiB where 16 KiB are allowed. Put the rest into the body.")
    }
}
