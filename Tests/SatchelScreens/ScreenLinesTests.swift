import Foundation
import Records
import Terminal
import TestSupport
import Testing

@testable import Controllers
@testable import LineView
@testable import SatchelScreens

@Suite("Details, status and session as lines")
struct ScreenLinesTests {
    private func record(_ change: (inout DetailScreen.State.Shown) -> Void = { _ in }) -> DetailScreen.State {
        var shown = DetailScreen.State.Shown(
            id: "12ab-whole", collection: "tasks", kind: "task", title: "Buy milk", body: nil,
            fields: [
                .init(name: "due", label: "Due", value: "2026-11-22T15:00:00Z", isMoment: true),
                .init(name: "tags", label: "Tags", value: "shop, food"),
            ],
            annotations: [], version: 7, isUnsent: false, rejection: nil, editedAt: nil, editedBy: nil)
        change(&shown)
        var state = DetailScreen.State()
        state.record = shown
        return state
    }

    @Test("A record shows its title, its fields by their labels, its text and its annotations")
    func detail() throws {
        let state = record {
            ($0.body, $0.isUnsent, $0.rejection) = ("first\n\n  indented\n", true, "Too large.")
            $0.annotations = [.init(at: moment("2026-11-21T15:20:00Z"), text: "asked")]
        }
        #expect(
            try rendered(DetailScreen.self, state) == [
                "Buy milk", "due      \(LocalTime.short(moment("2026-11-22T15:00:00Z")))", "tags     shop, food",
                "id       12ab-whole", "refused  Too large.", "synced   no: it has unsent edits", "",
                "first", "",
                "  indented", "", "\(LocalTime.short(moment("2026-11-21T15:20:00Z")))  asked",
            ])
    }

    @Test("A value with a wording is shown in words, any other one unchanged")
    func words() throws {
        for words in ["every 2 weeks", nil] {
            let state = record { $0.fields = [.init(name: "repeat", label: "Repeats", value: "2w", words: words)] }
            #expect(try rendered(DetailScreen.self, state)[1] == "repeats  \(words ?? "2w")")
        }
    }

    @Test("A body of 10,000 lines is shown whole, on a narrow page too, escaped")
    func longBody() throws {
        let body = (1...10_000).map { "line \($0) \u{1B}[31m" + String(repeating: "x", count: 100) }.joined(
            separator: "\n")
        let lines = try rendered(DetailScreen.self, record { $0.body = body }, on: LinePage(columns: 40))
        #expect(lines.count == 10_000 + 6)
        #expect(lines.last == "line 10000 ␛[31m" + String(repeating: "x", count: 100))
        #expect(!lines.contains { $0.contains("\u{1B}") })
    }

    @Test("A record that was deleted meanwhile is shown as deleted")
    func deleted() throws {
        var state = DetailScreen.State()
        #expect(try rendered(DetailScreen.self, state) == ["No record is shown."])
        state.notice = "“Buy milk” has been deleted."
        #expect(try rendered(DetailScreen.self, state) == ["“Buy milk” has been deleted."])
    }

    @Test("A fact is wrapped to the page; a word that is too long to fit after its name is below it, whole")
    func wrapped() {
        let facts = [Fact("id", "3f2a0000-aaaa-bbbb-cccc-000000000001"), Fact("project", "a b"), Fact("none", "")]
        #expect(
            Fact.lines(facts, on: LinePage(columns: 40)) == [
                "id", "  3f2a0000-aaaa-bbbb-cccc-000000000001", "project  a b", "none",
            ])
        let long = Fact.lines([Fact("note", "one two three four")], on: LinePage(columns: 20))
        #expect(long == ["note  one two three", "      four"])
        #expect(Fact.lines([Fact("note", "one two three four")], on: LinePage()) == ["note  one two three four"])
    }

    @Test("The status shows what isn't synced and why, each rejected record with its whole reason")
    func status() throws {
        var state = SyncScreen.State()
        (state.username, state.server, state.unsent, state.conflicts) = ("ada", "https://a.example", 3, 2)
        (state.lastProblem, state.isSignedIn) = ("The server can't be reached.", true)
        let reason = "The fields have 2 MiB where 1 MiB is allowed. Shorten them."
        state.refused = 1
        state.rejected = [.init(id: "12ab34cd-5678", title: "Too much", reason: reason)]
        #expect(
            try rendered(SyncScreen.self, state, on: LinePage(columns: 40)) == [
                "account    ada on https://a.example",
                "unsent     2 of 3 records: `sync` sends",
                "           them (1 refused by the", "           server)",
                "conflicts  2: see `conflicts`", "last sync  never", "problem    The server can't be reached.", "",
                "Refused by the server; edit the record", "to send it again:", "12ab34cd  Too much",
                "          The fields have 2 MiB where 1", "          MiB is allowed. Shorten them.",
            ])
        state.unsent = 1
        #expect(try rendered(SyncScreen.self, state)[1] == "unsent     1 record, refused by the server")
        state.refused = 0
        #expect(try rendered(SyncScreen.self, state)[1] == "unsent     1 record: `sync` sends it")
        state.isSignedIn = false
        state.ended = EndedSession(rawValue: "loggedOut")
        let account = try rendered(SyncScreen.self, state)[0]
        #expect(account == "account    ada on https://a.example (you are signed out: `login` again)")
    }

    @Test("The status names each record that is too large to be received, with its size on the server")
    func oversized() throws {
        var state = SyncScreen.State()
        state.oversized = [
            .init(collection: "tasks", id: "12ab34cd-5678", title: "Scanned", bytes: 20 << 20),
            .init(collection: "notes", id: "99ab34cd-5678", title: "", bytes: 17 << 20),
        ]
        #expect(
            try rendered(SyncScreen.self, state).suffix(4) == [
                "", "Too large on the server to be received here; all others are synced. Inform the server's owner:",
                "12ab34cd  Scanned (20 MiB)", "99ab34cd  notes (17 MiB)",
            ])
    }

    @Test("`doctor` names the record that is too large to be received")
    func oversizedDifference() throws {
        var state = DoctorScreen.State()
        state.differing = 1
        state.differences = [.init(id: "12ab34cd-5678", collection: "tasks", title: "Scanned", kind: .tooLarge)]
        let lines = try rendered(DoctorScreen.self, state)
        #expect(
            lines.last?.split(separator: "  ").map { $0.trimmingPrefix(" ") } == [
                "12ab34cd-5678", "too large to be received", "Scanned",
            ])
    }

    @Test(
        "Unsent records are reported with the reason, and what will happen to them",
        arguments: [
            (UnsentReason.soon, "sent soon"), (.syncing, "being sent now"),
            (.syncingElsewhere, "another process with this home is syncing"),
            (.off, "automatic sync is off, `sync` sends them"),
            (.offline, "the server can't be reached, next try \(LocalTime.short(moment("2026-11-21T15:20:00Z")))"),
            (.waiting, "the server is busy, next try \(LocalTime.short(moment("2026-11-21T15:20:00Z")))"),
            (.refused, "the server refused the request, see below; `sync` tries again"),
            (.failed, "the last sync failed, see below, next try \(LocalTime.short(moment("2026-11-21T15:20:00Z")))"),
            (.signedOut, "waiting until you `login` again"), (.manual, "`sync` sends them"),
        ])
    func why(reason: UnsentReason, words: String) throws {
        var state = SyncScreen.State()
        (state.username, state.server, state.isSignedIn) = ("ada", "https://a.example", true)
        (state.unsent, state.why, state.retryAt) = (2, reason, moment("2026-11-21T15:20:00Z"))
        #expect(try rendered(SyncScreen.self, state)[1] == "unsent     2 records: \(words)")
    }

    @Test("The status shows since when it is offline, and what was switched off")
    func habits() throws {
        var state = SyncScreen.State()
        (state.username, state.server, state.isSignedIn) = ("ada", "https://a.example", true)
        (state.offlineSince, state.lastProblem) = (moment("2026-11-21T15:20:00Z"), "No way there.")
        (state.isAutomatic, state.isInBackground) = (false, false)
        #expect(
            try rendered(SyncScreen.self, state).dropFirst(2) == [
                "last sync   never", "offline     since \(LocalTime.short(moment("2026-11-21T15:20:00Z")))",
                "problem     No way there.", "automatic   off: `sync on` turns it on",
                "background  off: `sync --background on` turns it on",
            ])
        state.ended = EndedSession(rawValue: "revoked")
        state.isSignedIn = false
        #expect(try rendered(SyncScreen.self, state)[0].hasSuffix("the account no longer exists: `login` again)"))
    }

    @Test("The status of one record shows whether the server has it, and why not")
    func ofRecord() throws {
        var state = SyncScreen.State()
        var record = RecordSyncStatus(
            id: "12ab", title: "Buy milk", version: 7, isUnsent: false, isInFlight: false,
            editedAt: moment("2026-11-21T15:20:00Z"), why: nil, rejection: nil, conflicts: 1)
        state.record = record
        #expect(
            try rendered(SyncScreen.self, state) == [
                "Buy milk", "id         12ab", "synced     yes, version 7", "conflicts  1: see `conflicts`",
            ])
        (record.isUnsent, record.isInFlight, record.why, record.conflicts) = (true, true, .offline, 0)
        (state.record, state.offlineSince) = (record, moment("2026-11-21T15:00:00Z"))
        let edited = LocalTime.short(moment("2026-11-21T15:20:00Z"))
        #expect(
            try rendered(SyncScreen.self, state) == [
                "Buy milk", "id       12ab",
                "synced   no, last edited \(edited): the server can't be reached, `sync` tries again; sent, not answered yet",
                "offline  since \(LocalTime.short(moment("2026-11-21T15:00:00Z")))",
            ])
    }

    @Test("Without an account the status and the session show that nothing needs one")
    func signedOut() throws {
        var state = SyncScreen.State()
        state.unsent = 1
        #expect(
            try rendered(SyncScreen.self, state) == [
                "account    none; `register` or `login` to sync",
                "unsent     1 record, only on this device",
                "last sync  never",
            ])
        #expect(try rendered(SessionScreen.self, .init()).first?.hasPrefix("Not signed in.") == true)
    }

    @Test(
        "The reason why a session has ended is shown in words, with what to do",
        arguments: [
            ("loggedOut", "you are signed out: `login` again"),
            (
                "revoked",
                "this device was signed out elsewhere, the password was changed, or the account no longer exists: "
                    + "`login` again"
            ),
            ("expired", "the session has expired: `login` again"),
        ])
    func ended(reason: String, words: String) throws {
        var state = SessionScreen.State()
        (state.username, state.server, state.device, state.ended) = (
            "ada", "https://a.example", "d", EndedSession(rawValue: reason)
        )
        #expect(try rendered(SessionScreen.self, state) == ["ada on https://a.example (\(words))", "this device: d"])
    }

    @Test(
        "The usage is shown with its limits, and with what to do if one is reached",
        arguments: [
            (1_200, "1,200 of 1,000,000 records, 3.5 MiB of 1 GiB, 2 of 100 devices, 1 of 32 event streams"),
            (
                1_000_000,
                "1,000,000 of 1,000,000 records, 3.5 MiB of 1 GiB, 2 of 100 devices, 1 of 32 event streams: no more "
                    + "records; delete some, or ask the server's owner"
            ),
        ])
    func usage(records: Int, text: String) throws {
        var state = SessionScreen.State()
        (state.username, state.server, state.isSignedIn, state.device) = ("ada", "https://a.example", true, "d")
        let usage = """
            {"records": {"used": \(records), "limit": 1000000}, "bytes": {"used": 3670016, "limit": 1073741824},
             "devices": {"used": 2, "limit": 100}, "streams": {"used": 1, "limit": 32}}
            """
        state.usage = try JSONDecoder().decode(AccountUsage.self, from: Data(usage.utf8))
        #expect(try rendered(SessionScreen.self, state) == ["ada on https://a.example", text, "this device: d"])
    }

    @Test("Why the usage is unknown is shown in place of it")
    func unknownUsage() throws {
        var state = SessionScreen.State()
        (state.username, state.server, state.isSignedIn, state.device) = ("ada", "https://a.example", true, "d")
        state.usageFailure = "The server didn't answer in time. Try again later."
        #expect(
            try rendered(SessionScreen.self, state) == [
                "ada on https://a.example", "usage unknown: the server didn't answer in time. Try again later.",
                "this device: d",
            ])
    }

    @Test("The secret of a new app password is the only line, and the list shows what it may do")
    func appPassword() throws {
        var state = SessionScreen.State()
        (state.username, state.server, state.isSignedIn, state.device) = ("ada", "https://a.example", true, "d")
        let info = #"{"isReadOnly": true}"#
        let readOnly = try JSONDecoder().decode(AppPasswordInfo.self, from: Data(info.utf8))
        state.created = CreatedAppPassword(id: "p", name: "phone", secret: "s3cret", info: readOnly)
        #expect(try rendered(SessionScreen.self, state) == ["s3cret"])
        state.created = nil
        state.devices = [.init(id: "p", name: "phone", lastSeenAt: nil, isThisOne: false, appPassword: readOnly)]
        #expect(try rendered(SessionScreen.self, state).last?.hasSuffix("read-only") == true)
    }

    @Test("A home that is signed in with an app password says what that may do")
    func access() throws {
        var state = SessionScreen.State()
        (state.username, state.server, state.isSignedIn, state.device) = ("ada", "https://a.example", true, "d")
        state.appPassword = try JSONDecoder().decode(AppPasswordInfo.self, from: Data(#"{"isReadOnly": true}"#.utf8))
        #expect(
            try rendered(SessionScreen.self, state)
                == ["ada on https://a.example", "with an app password: read-only", "this device: d"])
    }

    @Test("Devices have unique ids, whole in a pipe and short on a terminal, and escaped names")
    func devices() throws {
        var state = SessionScreen.State()
        (state.username, state.server, state.isSignedIn) = ("ada", "https://a.example", true)
        let at = moment("2026-11-21T15:20:00.123Z")
        let tail = "-2222-4333-8444-555555555555"
        state.devices = [
            .init(id: "11111111" + tail, name: "laptop\u{1B}[2J", lastSeenAt: at, isThisOne: true),
            .init(
                id: "11111111-3" + tail, name: String(repeating: "long", count: 50), lastSeenAt: at, isThisOne: false),
        ]
        let narrow = try rendered(SessionScreen.self, state, on: LinePage(columns: 80))
        #expect(narrow.allSatisfy { $0.displayWidth <= 80 })
        #expect(narrow[1].hasPrefix("11111111-2  laptop␛[2J"))
        #expect(narrow[1].hasSuffix("\(LocalTime.short(at))  this one"))
        let whole = try rendered(SessionScreen.self, state)
        #expect(whole[1].hasPrefix("11111111" + tail))
        #expect(whole[2].contains(String(repeating: "long", count: 50)))
    }
}
