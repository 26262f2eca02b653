import Backend
import ControllerKit
import Controllers
import LocalStore
import Records
import SyncAPI
import SyncEngine
import TestSupport
import Testing

@MainActor
@Suite("Syncing, and why something isn't synced", .timeLimit(.minutes(5)))
struct SyncTests {
    private let pull = AuthenticatedRoute.pullChanges(space: "space-ada")
    private let push = AuthenticatedRoute.pushChanges(space: "space-ada")

    @Test("Before the first sign-in, the status reports what is only here, and a sync what to do")
    func signedOut() async throws {
        let home = try Home()
        try home.put(["a": ["title": "Mine"]])
        let sync = home.sync()
        let error = await failure { try await sync.send(.sync) }
        #expect(error.category == .signedOut)
        #expect(error.message.contains("`register NAME --server URL`"))
        try await sync.send(.status())
        #expect((sync.state.username, sync.state.isSignedIn, sync.state.unsent) == (nil, false, 1))
        #expect(sync.state.lastProblem == nil, "Not being signed in is no problem to remember.")
        #expect(home.transport.requests.isEmpty)
    }

    @Test("`HomeSync` reports the unsent records and changes the settings of the automatic sync")
    func service() async throws {
        let home = try Home()
        try home.put(["a": ["title": "Mine"], "b": ["title": "Another"]])
        let unsent = try await home.services.sync.unsent()
        #expect((unsent.records, unsent.refused) == (2, 0))
        #expect(try await home.services.account.unsentRecordCount() == 2)
        let settings = try await home.services.sync.changeSettings { $0.isAutomatic = false }
        #expect(settings == SyncSettings(isAutomatic: false, isInBackground: true))
        let sync = home.sync()
        try await sync.send(.status())
        #expect(!sync.state.isAutomatic && sync.state.isInBackground)
    }

    @Test("A sync reports what it has sent and received; the home stores its time")
    func report() async throws {
        let home = try Home(signedInAs: "ada")
        try home.put(["a": ["title": "Mine"]])
        let sync = home.sync()
        home.transport.expect(pull, answer: Answer.page([Answer.record("b", #"{"title": "Theirs"}"#, version: 1)]))
        home.transport.expect(push, answer: Answer.applying(from: 2))
        try await sync.send(.sync)
        #expect(sync.state.notice == "Synced: sent 1, received 1.")
        #expect(
            (sync.state.unsent, sync.state.lastSyncedAt, sync.state.lastProblem) == (
                0, moment("2026-11-21T05:20:00Z"), nil
            ))
        #expect(!sync.state.isSyncing)
        #expect(try home.titles() == ["Mine", "Theirs"])

        let later = home.sync()
        try await later.send(.status())
        #expect(later.state.lastSyncedAt == moment("2026-11-21T05:20:00Z"))
        #expect((later.state.username, later.state.server) == ("ada", "https://notes.example.org"))
        home.transport.verify()
    }

    @Test("A user who deleted a record that another device had edited is notified that it was revived")
    func revived() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(
            pull, answer: Answer.page([Answer.record("a", #"{"title": "Before"}"#, version: 1)]))
        try await sync.send(.sync)
        try home.delete("a")
        let theirs = Answer.record("a", #"{"title": "Edited"}"#, version: 2)
        home.transport.expect(
            push,
            answer: .json(
                #"{"results": [{"status": "conflict", "current": \#(theirs)}], "records": [], "cursor": "c2", "more": false}"#
            ))
        try await sync.send(.sync)
        #expect(sync.state.notice?.contains("Restored 1 record that you deleted: another device edited it.") == true)
        #expect(try home.titles() == ["Edited"])
    }

    @Test("Results of automatic syncs are reported once: by the next status, sync, or open session")
    func news() async throws {
        let home = try Home(signedInAs: "ada")
        let store = home.services.store
        let sync = home.sync()
        func happen() async throws {
            var news = SyncStatus.News()
            (news.conflicts, news.revived) = (2, 1)
            try await store.write { [news] in try SyncStatus.update(in: $0) { $0.news = news } }
        }
        let message = "2 new conflicts: see `conflicts`. Restored 1 record that you deleted: another device edited it."
        try await happen()
        try await sync.send(.status())
        #expect(sync.state.news == message)
        try await sync.send(.status())
        #expect(sync.state.news == nil)
        try await happen()
        home.transport.expect(pull, answer: Answer.page())
        try await sync.send(.sync)
        #expect(sync.state.notice == "Everything is in sync. " + message)
        try await happen()
        var session = home.services.sync.news().makeAsyncIterator()
        #expect(await session.next() == "Sync: " + message)
        try await sync.send(.status())
        #expect(sync.state.news == nil)
    }

    @Test("A user whose deletion is synced is notified when another device's edit revives the record")
    func revivedLater() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(
            pull, answer: Answer.page([Answer.record("a", #"{"title": "Before"}"#, version: 1)]))
        try await sync.send(.sync)
        try home.delete("a")
        home.transport.expect(push, answer: Answer.applying(from: 2))
        try await sync.send(.sync)
        home.transport.expect(
            pull, answer: Answer.page([Answer.record("a", #"{"title": "Edited"}"#, version: 3)]))
        try await sync.send(.sync)
        #expect(sync.state.notice?.contains("Restored 1 record that you deleted: another device edited it.") == true)
    }

    @Test("Another account's cache in this home is reported, and the server isn't asked")
    func otherAccountsCache() async throws {
        let home = try Home(signedInAs: "ada")
        try home.services.store.writeNow { cache in
            try cache.account.unbind()
            try cache.account.bind(remote: "space-bob", username: "bob")
        }
        let error = await failure { try await home.sync().send(.sync) }
        #expect(error.category == .conflict)
        #expect(error.message.hasPrefix("This home belongs to the account bob.") && error.message.contains("--home"))
        #expect(home.transport.requests.isEmpty)
    }

    @Test("With nothing to do it reports so")
    func nothing() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(pull, answer: Answer.page())
        try await sync.send(.sync)
        #expect(sync.state.notice == "Everything is in sync.")
    }

    @Test("A failure is reported, kept for the status next to the last success, and removed by the next success")
    func failureKept() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(pull, answer: Answer.page())
        try await sync.send(.sync)
        home.clock.advance(by: .seconds(3_600))
        home.transport.expect(pull, failing: .timedOut)
        let error = await failure { try await sync.send(.sync) }
        #expect(
            error
                == Failure(
                    .unreachable, "The server https://notes.example.org didn't answer in time. Try again later.",
                    diagnostic: error.diagnostic))
        #expect(!sync.state.isSyncing)

        let later = home.sync()
        try await later.send(.status())
        #expect(
            later.state.lastProblem == "The server https://notes.example.org didn't answer in time. Try again later.")
        #expect(later.state.lastSyncedAt == moment("2026-11-21T05:20:00Z"))
        home.transport.expect(pull, answer: Answer.page())
        try await later.send(.sync)
        #expect((later.state.lastProblem, later.state.lastSyncedAt) == (nil, moment("2026-11-21T06:20:00Z")))
    }

    @Test("The reason that stopped syncs is removed by the next sign-in")
    func signedInAgain() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(pull, answer: .problem(401, .tokenExpired))
        home.transport.expect(OpenRoute.refresh, answer: .problem(401, .tokenExpired))
        let error = await failure { try await sync.send(.sync) }
        #expect(error.category == .signedOut)
        #expect((sync.state.isSignedIn, sync.state.lastProblem) == (false, error.message))
        home.transport.expect(OpenRoute.logIn, answer: Answer.grant(generation: 2))
        try await home.login().send(.logIn(username: "ada", password: "correct horse", server: nil))
        try await sync.send(.status())
        #expect((sync.state.isSignedIn, sync.state.lastProblem) == (true, nil))
    }

    @Test("A record that the server rejects fails each sync and is listed with title and reason until it is edited")
    func rejected() async throws {
        let home = try Home(signedInAs: "ada")
        try home.put(["a": ["title": "Too much"]])
        let sync = home.sync()
        home.transport.expect(pull, answer: Answer.page())
        home.transport.expect(push, answer: Answer.rejecting("The fields have 2 MiB where 1 is allowed."))
        let refusal = Failure(.rejected, "Everything else is in sync. The server refused 1 record: see `status`.")
        #expect(await failure { try await sync.send(.sync) } == refusal)
        #expect(sync.state.notice == refusal.message)
        home.transport.expect(pull, answer: Answer.page())
        #expect(await failure { try await sync.send(.sync) } == refusal, "Reported again, though nothing was sent.")
        try await sync.send(.status())
        #expect((sync.state.refused, sync.state.lastProblem) == (1, nil))
        #expect(sync.state.rejected.map(\.title) == ["Too much"])
        #expect(sync.state.rejected.map(\.reason) == ["The fields have 2 MiB where 1 is allowed."])
        #expect(sync.state.unsent == 1)
        let detail = home.detail()
        try await detail.send(.show("a"))
        #expect(detail.state.record?.rejection == "The fields have 2 MiB where 1 is allowed.")

        try await detail.send(.edit("a", title: "Less", body: nil, words: []))
        try await sync.send(.status())
        #expect(sync.state.rejected.isEmpty)
        home.transport.expect(push, answer: Answer.applying(from: 1))
        try await sync.send(.sync)
        #expect(sync.state.unsent == 0)
        home.transport.verify()
    }

    @Test("A running sync is shown")
    func underWay() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        let view = ScriptedView<SyncScreen>()
        sync.attach(view)
        let gate = Gate()
        home.transport.expect(pull, behind: gate, answer: Answer.page())
        async let done: Void = view.send(.sync)
        await view.next { $0.isSyncing }
        gate.open()
        try await done
        #expect(view.shown.last?.isSyncing == false)
    }

    @Test("A conflict whose record didn't fit into an answer is resolved with the records in it or after it")
    func omittedConflict() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(pull, answer: Answer.page([Answer.record("a", #"{"title": "Base"}"#, version: 1)]))
        try await sync.send(.sync)
        try await home.detail().send(.edit("a", title: "Mine", body: nil, words: []))
        let theirs = Answer.record("a", #"{"title": "Base", "project": "theirs"}"#, version: 2)
        home.transport.expect(
            push,
            answer: .json(
                #"{"results": [{"status": "conflict"}], "records": [\#(theirs)], "cursor": "c2", "more": false}"#))
        home.transport.expect(push, answer: Answer.applying(from: 3))
        try await sync.send(.sync)
        #expect(sync.state.unsent == 0)
        let task = try #require(try home.task("a"))
        #expect((task["title"], task["project"]) == ("Mine", "theirs"))
        home.transport.verify()
    }

    @Test("Two devices' edits of one field end as a conflict that the report and the status name")
    func conflict() async throws {
        let home = try Home(signedInAs: "ada")
        let sync = home.sync()
        home.transport.expect(pull, answer: Answer.page([Answer.record("a", #"{"title": "Base"}"#, version: 1)]))
        try await sync.send(.sync)
        try await home.detail().send(.edit("a", title: "Mine", body: nil, words: []))
        home.transport.expect(push) { request throws(TransportError) in
            let theirs = Answer.record("a", #"{"title": "Theirs"}"#, version: 2, at: "019b00000001-0000-desktop")
            return .json(
                """
                {"results": [{"status": "conflict", "current": \(theirs)}], "records": [], "cursor": "c2", "more": false}
                """)
        }
        home.transport.expect(push, answer: Answer.applying(from: 3))
        home.transport.expect(AuthenticatedRoute.devices, answer: Answer.devices(["desktop": "Desk"]))
        try await sync.send(.sync)
        #expect(sync.state.notice?.contains("merged 1") == true)
        #expect(sync.state.notice?.contains("1 new conflict: see `conflicts`.") == true)
        #expect(sync.state.conflicts == 1)
        let conflicts = home.conflicts()
        try await conflicts.send(.list(resolved: false))
        let row = try #require(conflicts.state.rows.first)
        #expect((row.title, row.field) == ("Mine", "title"))
        #expect((row.earlier.value, row.later.value) == ("Theirs", "Mine"))
        #expect(row.earlier.deviceName == "Desk", "A sync that receives an unknown device requests its name.")
        home.transport.verify()
    }
}
