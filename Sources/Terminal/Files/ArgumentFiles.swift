import Foundation
import PrivateFiles

/// A file that a command names, as a text. The actor has a thread of its own, since reading may block.
actor ArgumentFile {
    /// The limit for a file, in bytes.
    static let maximumSize = 256 << 20
    /// The maximum wait for a writer of a named pipe.
    static let writerWait = Duration.seconds(5)

    private let path: String
    private let limit: Int
    private let patience: Duration
    private let executor = BlockingExecutor(label: "terminal.file")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a reader for a file or a pipe.
    init(path: String, limit: Int = maximumSize, patience: Duration = writerWait) {
        (self.path, self.limit, self.patience) = (path, limit, patience)
    }

    /// Returns the whole text.
    ///
    /// - Throws: `TerminalError` that names the file; `CancellationError` if the task is cancelled while it waits for a
    ///   pipe.
    func text() throws -> String { try OpenedFile(path, limit: limit, patience: patience).text() }
}

/// A file that is open for reading. It is closed with the value. Its calls block.
struct OpenedFile: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let limit: Int
    private let patience: Duration
    /// The size of a regular file in bytes; 0: unknown.
    private var size = 0

    /// Opens a regular file, a pipe, a terminal or `/dev/null`.
    ///
    /// - Parameters:
    ///   - flags: Further flags of open(2).
    ///   - limit: The size in bytes above which the file is refused.
    ///   - patience: The maximum wait for a writer of a pipe.
    /// - Throws: `TerminalError` that names the file.
    init(
        _ path: String, flags: Int32 = 0, limit: Int = ArgumentFile.maximumSize,
        patience: Duration = ArgumentFile.writerWait
    ) throws(TerminalError) {
        (self.path, self.limit, self.patience) = (path, limit, patience)
        // Without O_NONBLOCK, opening a named pipe would wait for a writer, without limit and without cancellation.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags)
        guard descriptor >= 0 else {
            throw Self.cannotOpen(path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path) }
        if let kind = Self.refusedKind(status, descriptor) { throw Self.refusal(path, kind) }
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        if status.st_size > limit { throw tooLarge() }
        size = Int(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns the text up to the end.
    ///
    /// - Throws: `TerminalError` that names the file; `CancellationError` if the task is cancelled while it waits for a
    ///   pipe.
    func text() throws -> String {
        var text = ""
        // At once, since a text that grows is copied, and needs the memory twice meanwhile.
        text.reserveCapacity(size)
        var count = 0
        // The beginning of a character whose other bytes weren't read yet.
        var rest: [UInt8] = []
        while let more = try next(hasBytes: count > 0) {
            count += more.count
            // Again, because a pipe has no size, and a file may grow while it is read.
            if count > limit { throw tooLarge() }
            let bytes = rest + more
            let end = bytes.endOfWholeCharacters
            guard let piece = String(validating: bytes[..<end], as: UTF8.self) else { throw notText() }
            text += piece
            rest = Array(bytes[end...])
        }
        guard rest.isEmpty else { throw notText() }
        return text
    }

    /// Returns the next bytes; nil: the end.
    private func next(hasBytes: Bool) throws -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var unwritten = Duration.zero
        while true {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&request, 1, Int32(Self.slice.components.attoseconds / 1_000_000_000_000_000)) > 0
            try Task.checkCancellation()
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { return buffer[..<count] }
            guard count == 0 else {
                guard [EAGAIN, EINTR].contains(errno) else { throw Self.unreadable(path) }
                // EAGAIN: there is a writer, which may be slow without limit.
                unwritten = .zero
                continue
            }
            // Before a first writer opens a pipe, read(2) returns 0 as at the end, but poll(2) reports nothing.
            if isReady || hasBytes { return nil }
            unwritten += Self.slice
            guard unwritten < patience else {
                throw TerminalError(
                    .failed, "“\(path)” is a named pipe that no program writes to. Start the program that writes first."
                )
            }
        }
    }

    /// The length of each wait for a pipe; cancellation is checked after it.
    private static let slice = Duration.milliseconds(100)

    /// Returns the kind of a file that is refused; nil: it is accepted. Devices such as `/dev/zero` have no end.
    private static func refusedKind(_ status: stat, _ descriptor: Int32) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFIFO: nil
        case S_IFDIR: "a folder"
        case S_IFCHR where isatty(descriptor) == 1 || status.st_rdev == nullDevice: nil
        default: "a device"
        }
    }

    /// `/dev/null`: major 1, minor 3 (null(4)).
    private static let nullDevice: dev_t = 0x0103

    private static func refusal(_ path: String, _ kind: String) -> TerminalError {
        TerminalError(.usage, "“\(path)” is \(kind). Give the path of a file.")
    }

    /// Returns the error of open(2). ENXIO means a socket, or a terminal that the process doesn't have.
    private static func cannotOpen(_ path: String) -> TerminalError {
        guard errno == ENXIO else { return unreadable(path) }
        var status = stat()
        let isSocket = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        return isSocket
            ? refusal(path, "a socket")
            : TerminalError(.notFound, "“\(path)” can't be read: this process has no such device.")
    }

    private static func unreadable(_ path: String) -> TerminalError {
        TerminalError(.notFound, "“\(path)” can't be read: \(SystemError.last).")
    }

    private func notText() -> TerminalError {
        TerminalError(.rejected, "“\(path)” is not UTF-8 text. Convert it first, for instance with iconv.")
    }

    private func tooLarge() -> TerminalError {
        TerminalError(.rejected, "“\(path)” is larger than \(limit >> 20) MiB, the limit for a file.")
    }
}

extension [UInt8] {
    /// The end of the last character of UTF-8 that isn't cut off. Whether the bytes are valid isn't checked.
    fileprivate var endOfWholeCharacters: Int {
        for length in 1...3 where length <= count {
            let byte = self[count - length]
            // The other bytes of a character begin with the bits 10.
            if byte & 0xC0 == 0x80 { continue }
            let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return needed > length ? count - length : count
        }
        return count
    }
}

/// Reads the Markdown files of a folder. The actor has a thread of its own, since reading blocks.
///
/// Hidden files and folders and files without the extension `.md` are skipped. Symbolic links are refused, since their
/// targets may be outside of the folder.
actor FolderReader {
    private static let deepest = 16

    private let path: String
    private let executor = BlockingExecutor(label: "terminal.folder")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(path: String) { self.path = path }

    static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Returns the texts of the files, by their paths within the folder.
    ///
    /// - Throws: `TerminalError` that names the file or folder that can't be read.
    func texts() throws -> [String: String] {
        var files: [String: String] = [:]
        try read("", depth: 0, into: &files)
        return files
    }

    private func read(_ folder: String, depth: Int, into files: inout [String: String]) throws {
        guard depth < Self.deepest else { throw TerminalError(.rejected, "“\(full(folder))” is nested too deeply.") }
        for name in try names(in: folder) where !name.hasPrefix(".") {
            let inner = folder + name
            let type = try type(of: inner)
            let isNote = name.lowercased().hasSuffix(".md")
            switch type {
            case .typeDirectory: try read(inner + "/", depth: depth + 1, into: &files)
            case .typeRegular: if isNote { files[inner] = try contents(of: inner) }
            case .typeSymbolicLink:
                if isNote || Self.isFolder(full(inner)) {
                    throw TerminalError(
                        .rejected,
                        "“\(full(inner))” is a symbolic link, which isn't followed. Import a folder without it.")
                }
            default: break
            }
        }
    }

    private func type(of path: String) throws -> FileAttributeType? {
        // A file may have been removed since its folder was read.
        do { return try FileManager.default.attributesOfItem(atPath: full(path))[.type] as? FileAttributeType } catch {
            throw TerminalError(.notFound, "“\(full(path))” can't be read: \(error.localizedDescription)")
        }
    }

    private func names(in folder: String) throws -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: full(folder)).sorted() } catch {
            throw TerminalError(.notFound, "“\(full(folder))” can't be read: \(error.localizedDescription)")
        }
    }

    private func contents(of file: String) throws -> String {
        // O_NOFOLLOW excludes a file that is replaced with a symbolic link after its type was checked.
        try OpenedFile(full(file), flags: O_NOFOLLOW).text()
    }

    private func full(_ inner: String) -> String { path.hasSuffix("/") ? path + inner : "\(path)/\(inner)" }
}
