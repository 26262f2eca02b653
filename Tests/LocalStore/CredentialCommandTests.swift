import Backend
import Foundation
import Locking
import SyncAPI
import Testing

@testable import LocalStore

/// A helper with its entries in memory, by the lines that identify a session.
private final class Helper: Sendable {
    let state = Locked(State())

    struct State {
        var entries: [String: String] = [:]
        var calls: [String] = []
        var failure: String?
    }

    var command: CredentialCommand {
        CredentialCommand("helper") { [state] operation, input in
            state.withLock { state in
                state.calls.append(operation)
                if let failure = state.failure { return .init(failure: failure) }
                let lines = input.split(separator: "\n").map(String.init)
                let key = lines.prefix(4).joined(separator: " ")
                switch operation {
                case "get": return .init(output: state.entries[key].map { "quit=0\n\($0)\n" } ?? "")
                case "store": state.entries[key] = lines.last
                default: state.entries[key] = nil
                }
                return .init()
            }
        }
    }

    var keys: [String] { state.withLock { $0.entries.keys.sorted() } }

    var calls: [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }
}

@Suite struct CredentialCommandTests {
    private let temporary = TemporaryHome()
    private let helper = Helper()
    private var home: Home { temporary.home }
    private var store: FileCredentialStore { FileCredentialStore(home: home, command: helper.command) }

    init() throws { try temporary.home.prepare() }

    private var text: String { get throws { try String(contentsOf: home.credentials, encoding: .utf8) } }

    @Test func `tokens are stored by the command and not in the file`() async throws {
        let first = try credentials("one")
        try await store.save(first)
        #expect(try !text.contains("one"))
        #expect(helper.keys == ["protocol=https host=example.org path=d username=anna"])
        #expect(try await store.load() == Credentials(identity: first.identity, state: .separate))
        #expect(try await store.tokens(of: first.identity) == first.tokens)
    }

    @Test func `a program that can't be run is reported before a log-in, and not run`() async throws {
        let command = CredentialCommand("nope -x", run: { _, _ in .init() }, obstacle: { "isn't a program in PATH" })
        let store = FileCredentialStore(home: home, command: command)
        let expected = LocalStoreError.credentialCommand("nope -x", reason: "isn't a program in PATH")
        await #expect { try await store.checkSaving() } throws: { "\($0)" == "\(expected)" }
        try await self.store.checkSaving()
        #expect(helper.calls == [])
    }

    @Test func `the command isn't called to read who is signed in`() async throws {
        try await store.save(credentials("one"))
        _ = helper.calls
        _ = try await store.load()
        #expect(helper.calls == [])
    }

    @Test func `tokens in the file are used until they are renewed, and then moved`() async throws {
        try await FileCredentialStore(home: home).save(credentials("one"))
        #expect(try await store.load() == credentials("one"))
        try await store.save(credentials("two"))
        #expect(try !text.contains("two"))
        #expect(try await store.tokens(of: credentials("two").identity)?.access == "two")
    }

    @Test func `without the command its tokens are missing, and a new session is in the file`() async throws {
        try await store.save(credentials("one"))
        let plain = FileCredentialStore(home: home)
        #expect(try await plain.load()?.end == .tokensMissing)
        try await plain.save(credentials("two"))
        #expect(try await plain.load() == credentials("two"))
    }

    @Test func `an ended or forgotten session is erased`() async throws {
        let session = try credentials("one")
        try await store.save(session)
        try await store.save(Credentials(identity: session.identity, state: .ended(reason: .loggedOut)))
        #expect(helper.keys.isEmpty)
        #expect(try await store.load()?.end == .loggedOut)
        try await store.save(session)
        try await store.save(nil)
        #expect(helper.keys.isEmpty)
        #expect(try await store.load() == nil)
    }

    @Test func `the entry of a replaced session is erased, the same entry is kept`() async throws {
        try await store.save(credentials("one"))
        var other = try credentials("two")
        other.identity.device.id = "e"
        try await store.save(other)
        #expect(helper.keys == ["protocol=https host=example.org path=e username=anna"])
        other.identity.epoch = "2"
        try await store.save(other)
        #expect(try await store.tokens(of: other.identity) == other.tokens)
    }

    @Test func `a command that fails leaves the file as it was, and says what to do`() async throws {
        try await store.save(credentials("one"))
        let before = try text
        helper.state.withLock { $0.failure = "ended with status 3 (locked)" }
        let failure = LocalStoreError.credentialCommand("helper store", reason: "ended with status 3 (locked)")
        await #expect(throws: failure) { try await store.save(credentials("two")) }
        #expect(try text == before)
        #expect(failure.message.contains("`helper store` ended with status 3 (locked). Run it yourself"))
    }

    @Test func `the end of a session is stored although the command can't erase its tokens`() async throws {
        let session = try credentials("one")
        let ended = Credentials(identity: session.identity, state: .ended(reason: .loggedOut))
        for end in [ended, nil] {
            try await store.save(session)
            helper.state.withLock { $0.failure = "ended with status 3 (locked)" }
            let left = await #expect(throws: TokensLeft.self) { try await store.save(end) }
            #expect(left?.reason.contains("`helper erase` ended with status 3 (locked)") == true)
            #expect(try await store.load() == end)
            helper.state.withLock { $0.failure = nil }
        }
    }

    @Test(arguments: [("password=nonsense", true), ("password=", false), ("username=anna", false), ("", false)])
    func `an answer without a password is no entry, another answer is a failure`(
        answer: String, fails: Bool
    ) async throws {
        let command = CredentialCommand("helper") { _, _ in .init(output: answer) }
        let store = FileCredentialStore(home: home, command: command)
        let identity = try credentials("one").identity
        if fails {
            await #expect(throws: BackendError.damagedSession(path: "the answer of `helper get`")) {
                try await store.tokens(of: identity)
            }
        } else {
            #expect(try await store.tokens(of: identity) == nil)
        }
    }

    @Test func `a server can't add a line to the input`() async throws {
        var session = try credentials("one")
        session.identity.account.username = "anna\npassword=other"
        let forged = session
        await #expect(throws: LocalStoreError.self) { try await store.save(forged) }
        #expect(helper.calls == [])
    }
}
