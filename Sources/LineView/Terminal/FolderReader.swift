import ControllerKit
import Foundation
import Records

/// Reads the Markdown files of a folder where nothing else runs: reading blocks, so the actor has a thread of its own.
///
/// Hidden files and folders are left out, and so is all that isn't called `.md`. Symbolic links are refused: what they
/// lead to may lie anywhere.
actor FolderReader {
    private static let deepest = 16

    private let path: String
    private let executor = BlockingExecutor(label: "satchel.folder")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(path: String) { self.path = path }

    static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// A JSON object of the files' paths, within the folder, and their texts.
    ///
    /// - Throws: `Failure` that names what can't be read.
    func text() throws -> String {
        var files = JSONObject()
        try read("", depth: 0, into: &files)
        return files.text
    }

    private func read(_ folder: String, depth: Int, into files: inout JSONObject) throws {
        guard depth < Self.deepest else { throw Failure(.rejected, "“\(full(folder))” is nested too deeply.") }
        for name in try names(in: folder) where !name.hasPrefix(".") {
            let inner = folder + name
            let type = try FileManager.default.attributesOfItem(atPath: full(inner))[.type] as? FileAttributeType
            let isNote = name.lowercased().hasSuffix(".md")
            switch type {
            case .typeDirectory: try read(inner + "/", depth: depth + 1, into: &files)
            case .typeRegular: if isNote { files[inner] = .string(try contents(of: inner)) }
            case .typeSymbolicLink:
                if isNote || Self.isFolder(full(inner)) {
                    throw Failure(.rejected, "“\(full(inner))” is a symbolic link, which isn't followed. Remove it.")
                }
            default: break
            }
        }
    }

    private func names(in folder: String) throws -> [String] {
        do { return try FileManager.default.contentsOfDirectory(atPath: full(folder)).sorted() } catch {
            throw Failure(.notFound, "“\(full(folder))” can't be read: \(error.localizedDescription)")
        }
    }

    private func contents(of file: String) throws -> String {
        try OpenedFile(full(file), flags: O_NOFOLLOW).text()
    }

    private func full(_ inner: String) -> String { path.hasSuffix("/") ? path + inner : "\(path)/\(inner)" }
}
