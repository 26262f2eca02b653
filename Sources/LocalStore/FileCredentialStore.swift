public import Backend
internal import Foundation

/// The session of a home in a file of mode 0600, replaced as a whole and synced to disk; shared by the home's processes.
/// Files are read and written on a thread of its own, which may block.
public actor FileCredentialStore: CredentialStore {
    private let file: URL
    private let lock: FileLock
    private let executor = BlockingExecutor(label: "satchel.session")

    /// How long another process may take to renew the session: its one request is given up sooner.
    public static let lockLimit = Duration.seconds(30)
    private static let wait = LockWait(limit: lockLimit)

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The session of `home`.
    public init(home: Home) {
        file = home.credentials
        lock = home.sessionLock
    }

    public func load() throws -> Credentials? {
        let data: Data
        do { data = try Data(contentsOf: file) } catch CocoaError.fileReadNoSuchFile { return nil } catch {
            throw LocalStoreError.unusable(path: file.path, reason: "it can't be read")
        }
        do { return try JSONDecoder().decode(Credentials.self, from: data) } catch {
            throw LocalStoreError.unusable(
                path: file.path, reason: "it isn't a session of Satchel; `login` replaces it")
        }
    }

    public func save(_ credentials: Credentials?) throws {
        guard let credentials else {
            guard unlink(file.path) == 0 || errno == ENOENT else { throw failure(file.path) }
            return
        }
        try replaceFile(with: JSONEncoder().encode(credentials))
    }

    public func exclusively<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        let held = try await lock.acquire(Self.wait)
        defer { held.release() }
        return try await body()
    }

    /// Writes beside the file, syncs, and renames: a crash leaves the old session or the new one.
    private func replaceFile(with data: Data) throws {
        let draft = file.path + ".new"
        let descriptor = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(draft) }
        defer { close(descriptor) }
        let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == data.count, fsync(descriptor) == 0, rename(draft, file.path) == 0 else { throw failure(draft) }
        let directory = open(file.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    private func failure(_ path: String) -> LocalStoreError {
        errno == ENOSPC
            ? .diskFull(path: path) : .unusable(path: path, reason: String(cString: strerror(errno)))
    }
}
