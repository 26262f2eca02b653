import Backend
import ControllerKit
import Controllers
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

/// SyncAPI.docc/Protocol.md, "Invariants", 8: from each state the user can continue without losing unsent edits. Tested
/// against the real server in this process.
@MainActor
@Suite struct WaysOnTests {
    let account: SharedAccount
    let laptop: SharedAccount.Device
    let desktop: SharedAccount.Device

    /// Two devices in sync, with one task.
    init() async throws {
        account = try SharedAccount()
        laptop = try await account.device().register()
        try laptop.edit("a", ["title": "Milk"])
        try await laptop.sync()
        desktop = try await account.device().logIn()
        try await desktop.sync()
    }

    @Test func `a device revoked from another one keeps its edits and sends them after the next login`() async throws {
        try laptop.edit("b", ["title": "Unsent"])
        let id = try laptop.services.store.writeNow { try $0.device() }
        try await desktop.session().send(.revoke(device: id))
        let error = await failure { try await laptop.sync() }
        #expect(error.category == .signedOut && error.message.contains("unsent edits stay here"))
        #expect(try laptop.unsent() == 1)
        _ = try await laptop.logIn()
        try await laptop.sync()
        try await desktop.sync()
        #expect(try desktop.titles() == ["Milk", "Unsent"])
    }

    @Test func `a password changed elsewhere ends the session here; the new one begins another`() async throws {
        try laptop.edit("b", ["title": "Unsent"])
        try await desktop.session().send(
            .changePassword(current: SharedAccount.password, new: "another password"))
        #expect(await failure { try await laptop.sync() }.category == .signedOut)
        #expect(await failure { _ = try await laptop.logIn() }.category == .signedOut, "the old password is invalid")
        account.server.clock.advance(by: .seconds(60))
        _ = try await laptop.logIn("another password")
        try await laptop.sync()
        #expect(try laptop.unsent() == 0)
        #expect(try laptop.titles() == ["Milk", "Unsent"])
    }

    @Test func `a server that lost everything, accounts too, is restored by the devices that sign in again`()
        async throws
    {
        try laptop.edit("b", ["title": "Unsent"])
        try desktop.edit("a", ["due": "2031-05-05T00:00:00Z"])
        let restored = try SharedAccount()
        let first = try await restored.device(store: laptop.services.store).register()
        try await first.sync()
        let second = try await restored.device(store: desktop.services.store).logIn()
        try await second.sync()
        try await first.sync()
        for device in [first, second] {
            #expect(try device.titles() == ["Milk", "Unsent"])
            #expect(try device.unsent() == 0)
            let records = try device.services.store.readNow { try $0.records() }
            #expect(
                records.contains { $0.fields["due"] != nil } && !records.contains { $0.key.collection == "conflicts" })
        }
    }

    @Test func `a new account in place of a deleted one is sent everything; the server isn't said to have lost it`()
        async throws
    {
        try await laptop.session().send(.deleteAccount(password: SharedAccount.password))
        _ = try await laptop.register()
        let message = try await laptop.sync()
        #expect(message.contains("it is a new account, or the server has lost its data. This device has kept them"))
        #expect(try laptop.unsent() == 0)
        #expect(try await laptop.sync() == "Everything is in sync.")
    }

    @Test func `where nothing was synced before, a new account has lost nothing`() async throws {
        let (former, replaced) = (try SharedAccount(), try SharedAccount())
        let empty = try await former.device().register()
        try await empty.sync()
        let again = try await replaced.device(store: empty.services.store).register()
        #expect(try await again.sync() == "Everything is in sync.")
    }

    @Test func `a session that was unused for 90 days has expired; its edits wait for a login`() async throws {
        try laptop.edit("b", ["title": "Unsent"])
        account.server.clock.advance(by: .seconds(91 * 86_400))
        laptop.clock.advance(by: .seconds(91 * 86_400))
        let error = await failure { try await laptop.sync() }
        #expect(error.message == "The session has expired. `login` again; unsent edits stay here until then.")
        _ = try await laptop.logIn()
        try await laptop.sync()
        #expect(try laptop.unsent() == 0)
    }

    @Test func `deleting an account deletes nothing on its devices`() async throws {
        try laptop.edit("b", ["title": "Unsent"])
        try await desktop.services.backend.deleteAccount(AccountDeletionRequest(password: SharedAccount.password))
        let refusal = await failure { try await laptop.sync() }
        #expect(refusal.category == .signedOut)
        #expect(refusal.message.contains("or the account no longer exists. `login` again, or `register`"))
        #expect(await failure { _ = try await laptop.logIn() }.category == .signedOut)
        #expect(try laptop.titles() == ["Milk", "Unsent"] && laptop.unsent() == 1)
    }

    @Test func `what differs from the server is read again and reported once`() async throws {
        try laptop.services.store.writeNow { try $0.store(nil, for: RecordKey(collection: "tasks", id: "a")) }
        try laptop.edit("b", ["title": "Unsent"])
        #expect(try await laptop.sync().contains("This device and the server held different records"))
        #expect(try laptop.titles() == ["Milk", "Unsent"])
        #expect(try await laptop.sync() == "Everything is in sync.")
    }

    @Test func `a tombstone is kept for the whole retention time, so that an import revives nothing before`()
        async throws
    {
        try laptop.delete("a")
        try await laptop.sync()
        account.server.clock.advance(by: .seconds(80 * 86_400))
        try await laptop.sync()
        let key = RecordKey(collection: "tasks", id: "a")
        #expect(try laptop.services.store.readNow { try $0.cached(key)?.record.deleted } == true)
        account.server.clock.advance(by: .seconds(5 * 86_400))
        try await laptop.sync()
        account.server.clock.advance(by: .seconds(6 * 86_400))
        try await laptop.sync()
        #expect(try laptop.services.store.readNow { try $0.cached(key) } == nil)
        #expect(try await laptop.sync() == "Everything is in sync.", "the digest doesn't count tombstones")
    }
}

/// SyncAPI.docc/Protocol.md, "Data": a clock that is in the future decides nothing.
@MainActor
@Suite struct WrongClockTests {
    let account: SharedAccount
    let wrong: SharedAccount.Device
    let right: SharedAccount.Device

    init() async throws {
        account = try SharedAccount()
        wrong = try await account.device().register()
        try wrong.edit("a", ["title": "Milk", "due": "2026-12-01", "tags": ["shop"]])
        try await wrong.sync()
        right = try await account.device().logIn()
        try await right.sync()
    }

    /// Lets time pass everywhere.
    private func wait() {
        account.server.clock.advance(by: .seconds(60))
        wrong.clock.advance(by: .seconds(60))
        right.clock.advance(by: .seconds(60))
    }

    private func syncAll() async throws {
        for device in [wrong, right, wrong, right] { try await device.sync() }
        #expect(try wrong.titles() == right.titles())
    }

    @Test func `an edit dated 2099 doesn't win over one made after it was synced`() async throws {
        wrong.clock.advance(by: .seconds(73 * 365 * 86_400))
        try wrong.edit("a", ["title": "From 2099"])
        try await syncAll()
        wait()
        try right.edit("a", ["title": "Later"])
        try await right.sync()
        wait()
        try await syncAll()
        #expect(try wrong.titles() == ["Later"])
    }

    @Test func `of two edits of a field, one dated 2099, both are kept: one in the record, one as a conflict`()
        async throws
    {
        wrong.clock.advance(by: .seconds(73 * 365 * 86_400))
        try wrong.edit("a", ["title": "From 2099"])
        try right.edit("a", ["title": "From 2026", "due": "2026-12-24"])
        try await syncAll()
        let records = try right.services.store.readNow { try $0.records() }
        let task = try #require(records.first { $0.key.id == "a" })
        #expect(task.fields["due"] == "2026-12-24", "an edit on one side wins, whatever the clocks")
        let conflict = try #require(records.first { $0.key.collection == "conflicts" }.map(\.fields.text))
        #expect(conflict.contains("From 2099") && conflict.contains("From 2026"))
    }

    @Test func `an edit dated 1970 is later than what its device had seen`() async throws {
        let slow = try SharedAccount.Device(at: 0, of: account)
        _ = try await slow.logIn()
        try await slow.sync()
        try slow.edit("a", ["title": "From 1970"])
        try await slow.sync()
        try await syncAll()
        #expect(try right.titles() == ["From 1970"])
        #expect(try right.services.store.readNow { try $0.records(in: ["conflicts"]) }.isEmpty)
    }
}
