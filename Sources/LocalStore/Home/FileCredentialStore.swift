public import Backend
internal import Dispatch
internal import Foundation
internal import PrivateFiles

/// The session of a home in a file of mode 0600, which is replaced as a whole, synced to disk, and shared by the home's
/// processes. Files are read and written on a thread of its own, which may block.
///
/// With a `CredentialCommand`, the file has all but the tokens, which the command stores. Tokens in the file are used until
/// the session is renewed, and then moved.
public actor FileCredentialStore: CredentialStore {
    private let file: URL
    private let lock: FileLock
    private let command: CredentialCommand?
    private let executor = BlockingExecutor(label: "store.session")

    /// The longest wait for another process that renews the session. It exceeds `BackendClient.answerSilence`, after
    /// which that process gives up a server that doesn't answer.
    public static let lockLimit = Duration.seconds(30)
    private let wait: LockWait

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the store of the session of `home`.
    ///
    /// - Parameters:
    ///   - command: Stores the tokens; nil: they are in the file.
    ///   - commandLimit: The time limit of a call of the command, by which another process may hold the lock longer.
    public init(home: Home, command: CredentialCommand? = nil, commandLimit: Duration = .zero) {
        let limit = command == nil ? Self.lockLimit : Self.lockLimit + commandLimit
        self.init(home: home, command, wait: LockWait(limit: limit))
    }

    init(home: Home, _ command: CredentialCommand? = nil, wait: LockWait) {
        file = home.credentials
        lock = home.sessionLock
        self.command = command
        self.wait = wait
    }

    public func load() throws -> Credentials? {
        guard let stored = try stored() else { return nil }
        guard case .separate = stored.state, command == nil else { return stored }
        return Credentials(
            identity: stored.identity, state: .ended(reason: .tokensMissing), deviceProof: stored.deviceProof)
    }

    public func tokens(of identity: SessionIdentity) async throws -> Tokens? {
        try await command?.tokens(of: identity)
    }

    /// The contents of the file.
    private func stored() throws -> Credentials? {
        // Other users may have read the tokens, or replaced them by tokens of their own account, which would then
        // receive the edits of this home.
        if let permissions = PrivateFile(path: file.path).permissionsOfOthers, permissions != 0 {
            throw LocalStoreError.exposed(path: file.path, command: "chmod 600")
        }
        let data: Data
        do { data = try Data(contentsOf: file) } catch CocoaError.fileReadNoSuchFile { return nil } catch {
            throw LocalStoreError.unusable(path: file.path, reason: "it can't be read")
        }
        do { return try JSONDecoder().decode(Credentials.self, from: data) } catch {
            throw BackendError.damagedSession(path: file.path)
        }
    }

    public func checkSaving() async throws { try command?.check() }

    public func save(_ credentials: Credentials?) async throws {
        // A damaged file is replaced; the command then keeps tokens whose session isn't known any more.
        let former = try? stored()
        guard let command else { return try write(credentials) }
        // Tokens first: if the process ends after a line, the file doesn't name a session whose tokens were never stored.
        if let credentials, let tokens = credentials.tokens {
            try await command.store(tokens, of: credentials.identity)
            try write(
                Credentials(
                    identity: credentials.identity, state: .separate, deviceProof: credentials.deviceProof))
            // An error is ignored: the session of these tokens was replaced, and expires.
            if let former, !CredentialCommand.isSame(former.identity, credentials.identity) {
                try? await command.erase(former.identity)
            }
        } else {
            // The end first: a command that fails must not keep a session that the user or the server has ended.
            try write(credentials)
            guard let former, case .separate = former.state else { return }
            do { try await command.erase(former.identity) } catch { throw TokensLeft(reason: "\(error)") }
        }
    }

    /// Replaces or removes the file.
    private func write(_ credentials: Credentials?) throws {
        guard let credentials else {
            guard unlink(file.path) == 0 || errno == ENOENT else {
                throw LocalStoreError.unusable(path: file.path, reason: SystemError.last)
            }
            return
        }
        // The caller holds the session's lock, so no other process uses the draft.
        do {
            try PrivateFile(path: file.path).replace(
                with: try JSONEncoder().encode(credentials), draft: file.path + ".new")
        } catch let error as FileFailure {
            if error.code == ENOSPC { throw BackendError.diskFull(path: error.path) }
            throw LocalStoreError.unusable(path: error.path, reason: error.reason)
        }
    }

    public func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        let held = try await lock.acquire(wait)
        defer { held.release() }
        return try await body()
    }
}
