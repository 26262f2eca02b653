import Records
import Testing

@Suite("Edits as users type them")
struct EditTests {
    private func edit(_ words: String...) throws -> Edit {
        try Edit(words, dates: DateExpressionTests.context(), catalog: RecordTypes.standard.catalog)
    }

    @Test("words set fields; the rest is the title")
    func fields() throws {
        let edit = try edit("Buy", "+shop", "oat", "due:tomorrow", "milk", "priority:high", "project:home", "field.x:1")
        #expect(
            edit.fields == [
                "title": "Buy oat milk", "due": "2026-11-22", "priority": "H", "project": "home", "x": "1",
            ])
        #expect(edit.addedTags == ["shop"])
    }

    @Test("an interval is stored in canonical form, with the zone where it was typed, and restarts with the due date")
    func intervals() throws {
        #expect(
            try edit("repeat:every 2 weeks").fields == [
                "repeat": "FREQ=WEEKLY;INTERVAL=2", "repeatZone": "Europe/Berlin", "repeatFrom": .null,
            ])
        #expect(try edit("repeat:every", "2", "weeks").fields == edit("repeat:every 2 weeks").fields)
        #expect(try edit("repeat:last", "friday", "Pay", "rent").fields["title"] == "Pay rent")
        #expect(try edit("repeat:").fields == ["repeat": .null, "repeatZone": .null, "repeatFrom": .null])
        #expect(throws: InputError.self) { try edit("repeat:soon") }
    }

    @Test("a name without a value removes the field")
    func removal() throws {
        #expect(try edit("due:", "project:").patch(for: ["due": "x", "title": "a"]) == ["due": .null])
    }

    @Test("tags are added to and removed from the present ones")
    func tags() throws {
        let edit = try edit("+new", "-old", "+kept")
        #expect(try edit.patch(for: ["tags": ["kept", "old", 5]]) == ["tags": ["kept", 5, "new"]])
        #expect(try self.edit("-old").patch(for: ["tags": ["old"]]) == ["tags": .null])
        #expect(try self.edit("-old").patch(for: [:]).isEmpty)
        #expect(try self.edit("+a", "-a").patch(for: ["tags": ["b"]]).isEmpty)
        #expect(try self.edit("tags:x,y", "+z").patch(for: ["tags": ["a"]]) == ["tags": ["x", "y", "z"]])
    }

    @Test("a list of tags adds or removes each of them; a tag begins with a letter or a symbol such as an emoji")
    func tagLists() throws {
        #expect(try edit("+a,b", "-c,d,").addedTags == ["a", "b"])
        #expect(try edit("+a,b", "-c,d,").removedTags == ["c", "d"])
        #expect(try edit("+🎉", "-→").addedTags == ["🎉"])
        #expect(throws: InputError.notATag("+a,!b")) { try edit("+a,!b") }
        let words = ["+a", "-b,c", "due:x", "Fix", "--", "-5"]
        #expect(Edit.invalidTag(in: words) == nil)
        for word in ["-", "+", "-5", "+!urgent", "+due:x", "+€5"] {
            #expect(Edit.invalidTag(in: ["Fix", word]) == word)
        }
    }

    @Test("present values make no patch")
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

    @Test("a value separated by a space is not a title")
    func torn() throws {
        #expect(throws: InputError.torn("due", "friday")) { try edit("due:", "friday") }
        #expect(throws: InputError.torn("project", "home")) { try edit("Buy", "milk", "project:", "home") }
        #expect(try edit("Friday", "due:").fields == ["title": "Friday", "due": .null])
        #expect(try edit("--", "due:", "friday").fields == ["title": "due: friday"])
    }

    @Test(
        "words that continue a date are joined to it, as many as make it a date; the others are the title",
        arguments: [
            ("due:tomorrow 5pm", "2026-11-22T16:00:00Z[Europe/Berlin]", nil),
            ("due:friday 15:00", "2026-11-27T14:00:00Z[Europe/Berlin]", nil),
            ("due:next week", "2026-11-23", nil), ("due:in 3 days", "2026-11-24", nil),
            ("due:first monday of december", "2026-12-07", nil),
            ("due:tomorrow at 5pm Call", "2026-11-22T16:00:00Z[Europe/Berlin]", "Call"),
            ("Call due:in two weeks Bob", "2026-12-05", "Call Bob"),
            ("due:friday 3 eggs", "2026-11-27", "3 eggs"),
            ("due:friday the report", "2026-11-27", "the report"),
            ("due:tomorrow May report", "2026-11-22", "May report"),
            ("due:24 dec 2027 review", "2027-12-24", "review"),
            ("due:friday +work 15:00", "2026-11-27", "15:00"),
            ("due:friday project:x 15:00", "2026-11-27", "15:00"),
            ("due:friday -- 15:00", "2026-11-27", "15:00"),
        ] as [(String, String, String?)])
    func joined(line: String, due: String, title: String?) throws {
        let words = line.split(separator: " ").map(String.init)
        let edit = try Edit(words, dates: DateExpressionTests.context(), catalog: RecordTypes.standard.catalog)
        #expect(edit.fields["due"] == .string(due))
        #expect(edit.fields["title"] == title.map(JSONValue.string))
    }

    @Test("only dates are joined: the words after another field are the title")
    func notJoined() throws {
        #expect(try edit("project:My", "house").fields == ["project": "My", "title": "house"])
        #expect(try edit("priority:H", "tomorrow").fields == ["priority": "H", "title": "tomorrow"])
    }

    @Test(
        "a date with two meanings is joined and refused",
        arguments: ["due:friday midnight", "due:in 5m", "due:1/5 5pm"])
    func joinedAmbiguity(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let dates = try DateExpressionTests.context()
        let error = try #require(throws: InputError.self) {
            try Edit(words, dates: dates, catalog: RecordTypes.standard.catalog)
        }
        #expect(error.description.contains(" could be "))
    }

    @Test("a past time of today is that of tomorrow, unless the field is about the past")
    func pastTimes() throws {
        #expect(try edit("due:3am").fields["due"] == "2026-11-22T02:00:00Z[Europe/Berlin]")
        #expect(try edit("due:15:00").fields["due"] == "2026-11-21T14:00:00Z[Europe/Berlin]")
        #expect(try edit("due:today 3am").fields["due"] == "2026-11-21T02:00:00Z[Europe/Berlin]")
        #expect(try edit("end:3am").fields["end"] == "2026-11-21T02:00:00Z")
    }

    @Test(
        "an unknown field name is refused in any position; the message names the intended one",
        arguments: [
            ("recur:weekly", "recur", "repeat"), ("mask:2", "mask", nil), ("porject:home", "porject", "project"),
            ("prio:H", "prio", "priority"), ("NB:see", "NB", nil), ("estimate:3", "estimate", nil),
            ("wait_for:+3d", "wait_for", nil), ("by:monday", "by", "due"),
        ] as [(String, String, String?)])
    func unknownField(word: String, name: String, nearest: String?) throws {
        let value = String(word.dropFirst(name.count + 1))
        let refusal = InputError.unknownField(name, value: value, nearest: nearest)
        #expect(throws: refusal) { try edit(word) }
        #expect(throws: refusal) { try edit("Call", "Bob", word, "+shop") }
        #expect(refusal.description.contains("field.\(word)"))
        #expect(try edit("field.\(word)").fields[name] == .string(value))
        #expect(try edit("Call", "--", word).fields == ["title": .string("Call " + word)])
    }

    @Test(
        "a word with a colon that is no mistyped field is part of the title",
        arguments: [
            "http://x.org/?q=a:b", "https://x.org", "file:/etc/hosts", "mailto:a@b.org", "tel:+431234", "Re:", "TODO:",
            "12:30",
            "5:30pm", "C:\\dir", "std::map", "x:)", "10:1", "größe:3", "Call Bob due:friday", "3d:x", "a<b",
        ])
    func colons(word: String) throws {
        #expect(try edit("Note", word, "x").fields == ["title": .string("Note \(word) x")])
    }

    @Test("a custom field keeps the kind of its value")
    func kinds() throws {
        let stored: JSONObject = [
            "rating": 5, "read": false, "authors": ["A"], "place": ["lat": 1], "mixed": [1], "note": "old",
            "none": .null,
        ]
        #expect(try edit("field.rating:3").patch(for: stored) == ["rating": 3])
        #expect(try edit("field.rating:-1.5e3").patch(for: stored) == ["rating": -1500])
        #expect(try edit("field.rating:5.0").patch(for: stored).isEmpty)
        #expect(try edit("field.read:true").patch(for: stored) == ["read": true])
        #expect(
            try edit("field.authors:Terry Pratchett, Neil Gaiman").patch(for: stored)
                == ["authors": ["Terry Pratchett", "Neil Gaiman"]])
        #expect(try edit("field.mixed:[1, 2]").patch(for: stored) == ["mixed": [1, 2]])
        #expect(try edit("field.note:3").patch(for: stored) == ["note": "3"])
        #expect(try edit("field.none:3", "field.new:4").patch(for: stored) == ["none": "3", "new": "4"])
        #expect(try edit("field.rating:").patch(for: stored) == ["rating": .null])
        #expect(try edit("field.rating:", "field.rating:4").patch(for: stored) == ["rating": 4])
        #expect(try edit("field.rating:4", "field.rating:").patch(for: stored) == ["rating": .null])
    }

    @Test(
        "a value of another kind than the field's is refused; the message says how to change the kind",
        arguments: [
            ("rating", "great", InputError.Kind.number), ("rating", "0x10", .number), ("rating", "1e999", .number),
            ("read", "yes", .boolean), ("mixed", "1,2", .list), ("place", "here", .object), ("place", "[1]", .object),
        ])
    func kindChange(field: String, value: String, kind: InputError.Kind) throws {
        let stored: JSONObject = ["rating": 5, "read": false, "mixed": [1], "place": ["lat": 1]]
        let refusal = InputError.kindChange(field: field, value: value, stored: kind)
        #expect(throws: refusal) { try edit("field.\(field):\(value)").patch(for: stored) }
        #expect(refusal.description.hasSuffix("remove the field first: field.\(field):"))
    }

    @Test("a title given twice, by name and by the other words, is refused")
    func titleTwice() throws {
        #expect(throws: InputError.titleTwice) { try edit("title:Milk", "Bread") }
        #expect(try edit("title:Milk").fields == ["title": "Milk"])
    }

    @Test("the status done means completed")
    func status() throws { #expect(try edit("status:done").fields == ["status": "completed"]) }

    @Test(
        "an unknown status is refused, and the message names the known ones", arguments: ["bogus", "finished"])
    func unknownStatus(text: String) throws {
        let error = try #require(throws: InputError.self) { try edit("status:\(text)") }
        #expect(error == .choice(field: "status", value: text, allowed: ["pending", "completed"]))
        #expect(error.description.contains("status:pending, status:completed"))
        for known in ["pending", "completed"] {
            #expect(try edit("status:\(known)").fields == ["status": .string(known)])
        }
    }

    @Test(
        "a status that only other programs set is refused, and the message says what to do instead",
        arguments: [
            ("deleted", "To delete a task, use `rm`."), ("recurring", "For a repeating task, write repeat:weekly."),
        ])
    func statusOfOthers(text: String, instead: String) throws {
        let error = try #require(throws: InputError.self) { try edit("status:\(text)") }
        #expect(
            error.description
                == "Only other programs set status:\(text). Write status:pending or status:completed. \(instead)")
    }

    @Test("short names and those of other programs name fields")
    func aliases() throws {
        #expect(
            try edit("description:Milk", "pri:H", "proj:home").fields == [
                "title": "Milk", "priority": "H", "project": "home",
            ])
        #expect(try edit("created:2026-11-21").fields == ["entry": "2026-11-20T23:00:00Z"])
    }

    @Test("mistakes are refused, and the message says what to do")
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

    @Test("a title of 1 MiB is refused; the message has its size and says what to do")
    func hugeTitle() throws {
        let error = try #require(throws: InputError.self) { try edit(String(repeating: "x", count: 1 << 20)) }
        #expect(
            error.description
                == "The title is too long: 1024 KiB where 16 KiB are allowed. Put the rest into the body.")
    }
}
