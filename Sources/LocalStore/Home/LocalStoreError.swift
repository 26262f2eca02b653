internal import Backend
internal import Foundation

/// An error of a home or its files. When it is thrown, nothing was deleted or overwritten. New cases may be added.
public enum LocalStoreError: Error, Sendable, Equatable {
    /// SQLite can't read the cache, or a value in it is invalid.
    case damaged(path: String, reason: String)
    /// A file is where the home or a directory above it should be.
    case notADirectory(path: String)
    /// The file from which unsent edits were to be recovered doesn't exist.
    case noFile(path: String)
    /// A file isn't recognised as a cache, whole or damaged.
    case notACache(path: String)
    /// The home or a file in it can't be created, read or written.
    case unusable(path: String, reason: String)
    /// SQLite can't read the cache, which can't be put aside while another process has it open.
    case inUse(path: String)
    /// Users other than the owner may write in the home or read the session; the command removes that permission.
    case exposed(path: String, command: String)
    /// The home or the cache can only be read.
    case readOnly(path: String, reason: String)
    /// The cache was removed or replaced while it was open here; what was to be written isn't saved.
    case replaced(path: String)
    /// Another process held the cache or a lock of the home for longer than the time limit; nil: the process is
    /// unknown.
    case busy(path: String, holder: LockHolder?)
    /// No space is left on the disk.
    case diskFull(path: String)
    /// A newer Satchel wrote this cache.
    case tooNew(path: String)
    /// The home belongs to another account.
    case otherAccount(username: String)
    /// The program that stores the session's tokens failed; the command includes the operation.
    case credentialCommand(String, reason: String)
}

extension LocalStoreError: CustomStringConvertible {
    /// The message, for errors that quote this one.
    public var description: String { message }

    /// The message to the user: what happened, to what, and what to do next.
    public var message: String {
        switch self {
        case .damaged(let path, let reason):
            "The cache \(path) is damaged (\(reason)). Nothing was changed. Run `doctor --repair`: it keeps the "
                + "damaged file and the unsent edits that can be read, and receives the rest from the server."
        case .inUse(let path):
            "The cache \(path) is damaged and must be moved away, but another process has it open. Nothing was changed; end "
                + "that one, then try again."
        case .exposed(let path, let command):
            "Other users have access to \(path), which must be private, so it isn't used. Nothing was changed. Run: "
                + "\(command) '\(path)'"
        case .readOnly(let path, let reason):
            "\(path) can only be read (\(reason)); nothing was changed. Make it writable, or name another home with --home."
        case .notADirectory(let path):
            "\(path) is a file, not a directory, so no home can be there. Nothing was changed. Name another home with --home, "
                + "or move the file away."
        case .noFile(let path): "No such file: \(path)."
        case .notACache(let path):
            "\(path) is not a cache of this program, so there is nothing to recover from it. `doctor` names the files that were "
                + "put aside."
        case .unusable(let path, let reason):
            "\(path) can't be used: \(reason). Check its owner and permissions, or name another home with --home."
        case .replaced(let path):
            "The cache \(path) was removed or replaced while this process had it open, so nothing can be saved in it. End "
                + "this session, and begin another."
        case .busy(let path, let holder):
            Self.holding(path, holder) + " Nothing was changed; try again, or end that process."
        // The same sentence as for the file with the session.
        case .diskFull(let path): BackendError.diskFull(path: path).message
        case .tooNew(let path):
            "\(path) was written by a newer version of this program. Update the program. The file was not changed."
        case .otherAccount(let username):
            "This home belongs to the account \(username). Sign in as \(username), or use another home with --home."
        case .credentialCommand(let command, let reason):
            "The credential command failed: `\(command)` \(reason). Run it yourself to see why, or correct the setting "
                + "`credential-command`; unsent edits stay here until it works."
        }
    }

    /// The reason why nothing can be saved at present, as a clause; other than `message`, it doesn't say what happened
    /// to a command.
    public var obstacle: String {
        switch self {
        case .diskFull(let path): "the disk with \(path) is full, so nothing can be saved"
        case .readOnly(let path, let reason): "\(path) can only be read (\(reason)), so nothing can be saved"
        case .damaged, .inUse, .exposed, .notADirectory, .noFile, .notACache, .unusable, .replaced, .busy, .tooNew,
            .otherAccount, .credentialCommand:
            message
        }
    }

    /// What to do about the obstacle; nil: `obstacle` says it.
    public var remedy: String? {
        switch self {
        case .diskFull: "Free some space."
        case .readOnly: "Make it writable, or name another home with --home."
        case .damaged, .inUse, .exposed, .notADirectory, .noFile, .notACache, .unusable, .replaced, .busy, .tooNew,
            .otherAccount, .credentialCommand:
            nil
        }
    }

    private static func holding(_ path: String, _ holder: LockHolder?) -> String {
        guard let holder else { return "Another process has held \(path) for too long." }
        guard let since = holder.localTime else {
            return "Another process (\(holder.process)) has held \(path) for too long."
        }
        return "Another process (\(holder.process)) has held \(path) since \(since), which is too long."
    }
}

extension LocalStoreError {
    /// Returns whether the file system of a path has less space left than SQLite needs to open a cache.
    static func isDiskFull(_ path: String) -> Bool {
        var status = statvfs()
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        // The file may not exist yet; then the file system is that of its directory.
        guard statvfs(path, &status) == 0 || statvfs(directory, &status) == 0 else { return false }
        // A file system without blocks, such as /proc, is not full.
        return status.f_blocks > 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) < 64 << 10
    }
}
