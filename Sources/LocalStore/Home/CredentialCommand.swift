package import Backend
internal import Foundation

/// A program of the user that stores the tokens of sessions. It is called with the operation as its last argument and with
/// lines `key=value` on its standard input, as git calls its credential helpers (gitcredentials(7)), some of which can
/// therefore be used.
public struct CredentialCommand: Sendable {
    /// The program and its arguments, for messages.
    let name: String
    private let run: @Sendable (_ operation: String, _ input: String) async -> Answer
    private let obstacle: @Sendable () -> String?

    /// The result of a call.
    public struct Answer: Sendable, Equatable {
        /// The standard output: lines `key=value`.
        public var output: String
        /// The failure as a clause, such as `ended with status 1`; nil: none.
        public var failure: String?

        /// Creates a result.
        public init(output: String = "", failure: String? = nil) { (self.output, self.failure) = (output, failure) }
    }

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - name: The program and its arguments, for messages.
    ///   - run: Runs the program with an operation and an input. Its time and its output must be bounded.
    ///   - obstacle: Returns why the program can't be run, as a clause, without running it; nil: nothing is known.
    public init(
        _ name: String, run: @escaping @Sendable (_ operation: String, _ input: String) async -> Answer,
        obstacle: @escaping @Sendable () -> String? = { nil }
    ) {
        (self.name, self.run, self.obstacle) = (name, run, obstacle)
    }
}

extension CredentialCommand {
    /// Returns the tokens of a session; nil: the program has none.
    ///
    /// - Throws: `LocalStoreError.credentialCommand`; `BackendError.damagedSession` if the answer isn't what was stored.
    func tokens(of identity: SessionIdentity) async throws -> Tokens? {
        let output = try await perform("get", identity)
        do { return try Self.tokens(inAnswer: output) } catch {
            // Other than after a failure of the command, a log-in repairs it.
            throw BackendError.damagedSession(path: "the answer of `\(name) get`")
        }
    }

    /// Returns the tokens in the answer to `get`; nil: it has none.
    ///
    /// - Throws: `DecodingError` if the password isn't what was stored.
    package static func tokens(inAnswer output: String) throws -> Tokens? {
        let line = output.split(whereSeparator: \.isNewline).first { $0.hasPrefix(password) }
        guard let text = line?.dropFirst(password.count), !text.isEmpty else { return nil }
        return try JSONDecoder().decode(Tokens.self, from: Data(text.utf8))
    }

    /// Returns the line with which tokens are stored.
    package static func line(of tokens: Tokens) throws -> String {
        password + String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self)
    }

    /// Stores the tokens of a session in place of its former ones.
    func store(_ tokens: Tokens, of identity: SessionIdentity) async throws {
        _ = try await perform("store", identity, Self.line(of: tokens))
    }

    /// Checks that the program can be run, as far as that is known without running it.
    func check() throws(LocalStoreError) {
        if let reason = obstacle() { throw .credentialCommand(name, reason: reason) }
    }

    /// Removes the tokens of a session.
    func erase(_ identity: SessionIdentity) async throws { _ = try await perform("erase", identity) }

    /// Returns whether the program has one entry for both sessions.
    static func isSame(_ one: SessionIdentity, _ other: SessionIdentity) -> Bool {
        one.credentialLines == other.credentialLines
    }

    private static let password = "password="

    private func perform(
        _ operation: String, _ identity: SessionIdentity, _ more: String...
    ) async throws(LocalStoreError) -> String {
        let lines = identity.credentialLines + more
        // A server chooses some of the values: a line break in one would add a line.
        guard lines.allSatisfy({ !$0.contains { $0.isNewline || $0 == "\0" } }) else {
            throw failure(operation, "the session's description contains a line break")
        }
        let answer = await run(operation, lines.map { $0 + "\n" }.joined())
        if let reason = answer.failure { throw failure(operation, reason) }
        return answer.output
    }

    private func failure(_ operation: String, _ reason: String) -> LocalStoreError {
        .credentialCommand("\(name) \(operation)", reason: reason)
    }
}

extension SessionIdentity {
    /// The lines that identify a session: the device distinguishes several homes with one account.
    fileprivate var credentialLines: [String] {
        [
            "protocol=\(server.scheme)", "host=\(server.host)\(server.port.map { ":\($0)" } ?? "")",
            "path=\(server.prefix.dropFirst())\(server.prefix.isEmpty ? "" : "/")\(deviceID)", "username=\(username)",
        ]
    }
}
