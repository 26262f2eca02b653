import Foundation

/// The files and folders that a program keeps in a directory. A command that writes a file which a person names must
/// not replace them.
package struct OwnFiles: Sendable {
    private let directory: String
    private let isOwn: @Sendable (_ name: String) -> Bool

    /// Describes the files of a directory.
    ///
    /// - Parameter isOwn: Whether a file or folder of this name in the directory is the program's. It needn't exist.
    package init(in directory: String, _ isOwn: @escaping @Sendable (_ name: String) -> Bool) {
        (self.directory, self.isOwn) = (directory, isOwn)
    }

    /// The message of a command that doesn't write such a file.
    package static func refusal(_ path: String) -> String {
        "“\(path)” is one of the program's own files, or in a folder of them; nothing was written. Name another file."
    }

    /// Returns whether a path leads to one of the files or into one of the folders: by its name, or through symbolic or
    /// hard links. Blocking.
    package func contains(_ path: String) -> Bool {
        guard let home = FileIdentity(directory) else { return false }
        // If the directory can't be listed, its files are recognised by their names alone.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let files = Set(names.filter { isOwn($0) }.compactMap { FileIdentity("\(directory)/\($0)") })
        return FilePlace.all(of: path).flatMap(\.withFolders).contains { place in
            if isOwn(place.name), FileIdentity(place.folder) == home { return true }
            guard let identity = FileIdentity(place.path) else { return false }
            return files.contains(identity)
        }
    }
}

/// The identity of a file: its device and inode (stat(2)), which all its names and links have in common.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Identifies the file to which a path leads now; nil: there is none.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}

/// A name in a folder. The path of the folder has no symbolic links if it exists.
package struct FilePlace: Sendable {
    /// The folder's path.
    package let folder: String
    /// The name, which needn't exist.
    package let name: String

    /// The path.
    package var path: String { folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)" }

    private init(folder: String, name: String) { (self.folder, self.name) = (folder, name) }

    private init(_ path: String) {
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        let parts = absolute.split(separator: "/").filter { $0 != "." }
        let parent = "/" + parts.dropLast().joined(separator: "/")
        self.init(folder: Self.realPath(parent) ?? parent, name: parts.last.map { String($0) } ?? "")
    }

    /// The largest number of symbolic links that Linux follows (path_resolution(7)).
    private static let mostLinks = 40

    /// Returns the place that a path names and, if a symbolic link is there, the places to which it leads.
    package static func all(of path: String) -> [FilePlace] {
        var places = [FilePlace(path)]
        while places.count <= mostLinks, let target = places.last?.target { places.append(FilePlace(target)) }
        return places
    }

    /// The path in the symbolic link that is here; nil: none is.
    private var target: String? {
        // An error means that no link is here.
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return nil }
        return target.hasPrefix("/") ? target : "\(folder)/\(target)"
    }

    /// The places of the folders above, and this one.
    fileprivate var withFolders: [FilePlace] {
        let parts = path.split(separator: "/")
        return parts.indices.map { index in
            FilePlace(folder: "/" + parts[..<index].joined(separator: "/"), name: String(parts[index]))
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
