public import Backend
internal import Dispatch
internal import Foundation
internal import PrivateFiles

/// The session of a home in a file of mode 0600, which is replaced as a whole, synced to disk, and shared by the home's
/// processes. Files are read and written on a thread of its own, which may block.
public actor FileCredentialStore: CredentialStore {
    private let file: URL
    private let lock: FileLock
    private let executor = BlockingExecutor(label: "store.session")

    /// The longest wait for another process that renews the session. It exceeds `BackendClient.answerSilence`, after
    /// which that process gives up a server that doesn't answer.
    public static let lockLimit = Duration.seconds(30)
    private let wait: LockWait

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates the store of the session of `home`.
    public init(home: Home) { self.init(home: home, wait: LockWait(limit: Self.lockLimit)) }

    init(home: Home, wait: LockWait) {
        file = home.credentials
        lock = home.sessionLock
        self.wait = wait
    }

    public func load() throws -> Credentials? {
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

    public func save(_ credentials: Credentials?) throws {
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
            throw error.code == ENOSPC
                ? LocalStoreError.diskFull(path: error.path) : .unusable(path: error.path, reason: error.reason)
        }
    }

    public func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        let held = try await lock.acquire(wait)
        defer { held.release() }
        return try await body()
    }
}
