internal import ControllerKit
internal import Foundation
internal import Interchange
internal import LocalStore
internal import PrivateFiles

/// Writes exports, on a thread of its own since writing blocks.
///
/// A file is written completely under another name and then renamed. Existing files are replaced only on request, those
/// of the home never, and no file is written through a symbolic link.
actor ExportFiles {
    private let executor = BlockingExecutor(label: "export")
    private let own: OwnFiles?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Creates a writer.
    ///
    /// - Parameter own: The files that are never written; nil: there is no home.
    init(keeping own: OwnFiles?) { self.own = own }

    /// Writes a file, or the files of a folder, which is created if necessary. All paths are checked before any file is
    /// written.
    ///
    /// - Parameter replacing: Whether to replace existing files with other content.
    /// - Throws: `Failure` that names the file.
    func write(_ content: ExportedDocument.Content, to path: String, replacing: Bool) throws {
        switch content {
        case .text(let text):
            if try isToBeWritten(text, to: path, replacing: replacing) { try write(text, to: path) }
        case .folder(let files):
            try refuseOwn(path)
            // The user named this folder, so it may be a link. In it, a link could lead files out of the folder.
            try makeFolder(path, followingLinks: true)
            let files = files.sorted { $0.key < $1.key }.map { (inner: $0.key, text: $0.value) }
            for file in files { try makeFolders(of: file.inner, in: path) }
            let open = try files.filter {
                try isToBeWritten($0.text, to: "\(path)/\($0.inner)", replacing: replacing)
            }
            let former = try formerFiles(of: files, in: path)
            if let file = former.first, !replacing {
                throw Failure(
                    .rejected,
                    "“\(path)/\(file)” is an earlier export of a record that now has another file name; nothing was written. "
                        + "Use --force to replace it, or name another folder.")
            }
            for file in former { try refuseOwn("\(path)/\(file)") }
            for file in open { try write(file.text, to: "\(path)/\(file.inner)") }
            // Last: if a write fails, the earlier export of each record is still there.
            for file in former where unlink("\(path)/\(file)") != 0 { throw failure("\(path)/\(file)", errno) }
        }
    }

    /// Returns the files that an earlier export wrote for the same records under other names.
    private func formerFiles(of files: [(inner: String, text: String)], in path: String) throws -> [String] {
        let names = Set(files.map(\.inner))
        let ids = Set(files.compactMap { ExportedDocument.recordID(inNote: $0.text) })
        let all = try FileManager.default.subpathsOfDirectory(atPath: path)
        return all.filter { inner in
            guard inner.hasSuffix(".md"), !names.contains(inner), kind("\(path)/\(inner)") == .typeRegular,
                let bytes = FileManager.default.contents(atPath: "\(path)/\(inner)"),
                let id = ExportedDocument.recordID(inNote: String(decoding: bytes, as: UTF8.self))
            else { return false }
            return ids.contains(id)
        }.sorted()
    }

    /// Returns the kind of the file at a path, without following links; nil: there is none.
    private func kind(_ path: String) -> FileAttributeType? {
        // An error counts as no file: any cause that matters makes the write fail, too.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes.map { $0[.type] as? FileAttributeType ?? .typeUnknown }
    }

    private func refuseOwn(_ path: String) throws {
        if own?.contains(path) == true { throw Failure(.rejected, OwnFiles.refusal(path)) }
    }

    private func isToBeWritten(_ text: String, to path: String, replacing: Bool) throws -> Bool {
        try refuseOwn(path)
        switch kind(path) {
        case nil: return true
        case .typeRegular:
            // A file with this content is left alone, so repeating an export needs no --force.
            if FileManager.default.contents(atPath: path) == Data(text.utf8) { return false }
            if replacing { return true }
            throw Failure(
                .rejected,
                "“\(path)” already exists; nothing was written. Use --force to replace it, or name another file.")
        case .typeDirectory: throw Failure(.rejected, "“\(path)” is a folder; name a file.")
        case .typeSymbolicLink:
            throw Failure(
                .rejected,
                "“\(path)” is a symbolic link, which isn't followed. Name another file, or - for the standard output.")
        default: throw Failure(.rejected, "“\(path)” isn't a regular file.")
        }
    }

    private func makeFolders(of inner: String, in path: String) throws {
        var folder = path
        for part in inner.split(separator: "/").dropLast() {
            folder += "/" + part
            try makeFolder(folder, followingLinks: false)
        }
    }

    private func makeFolder(_ path: String, followingLinks: Bool) throws {
        // Private like the home. Created without a check before, which another process could make wrong.
        if mkdir(path, 0o700) == 0 { return }
        let reason = errno
        var isDirectory: ObjCBool = false
        // `fileExists` follows links; `kind` below doesn't.
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        guard reason == EEXIST, isDirectory.boolValue, followingLinks || kind(path) == .typeDirectory else {
            throw failure(path, reason == EEXIST ? ENOTDIR : reason)
        }
    }

    private func write(_ text: String, to path: String) throws {
        do { try PrivateFile(path: path).replace(with: text.utf8) } catch { throw failure(path, error.code) }
    }

    private func failure(_ path: String, _ reason: Int32) -> Failure {
        // A missing folder is the user's to create; nothing else about the path is wrong.
        let isMissing = reason == ENOENT
        return Failure(
            isMissing ? .notFound : .failed,
            "“\(path)” can't be written: \(SystemError.text(reason))."
                + (isMissing ? " Create the folder first, or name another one." : ""))
    }
}
