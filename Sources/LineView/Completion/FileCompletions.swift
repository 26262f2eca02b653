import ControllerKit
import Foundation

/// The files that the beginning of a path may name; folders end with a slash.
enum FileCompletions {
    static func completions(beginning: String) -> [Completion] {
        let folder = beginning.lastIndex(of: "/").map { String(beginning[...$0]) } ?? ""
        let name = beginning.dropFirst(folder.count)
        let path = folder.isEmpty ? "." : folder
        // A folder that can't be read has no completions; a command that names it reports why.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasPrefix(name) && (name.hasPrefix(".") || !$0.hasPrefix(".")) }.sorted().map { file in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path + "/" + file, isDirectory: &isFolder)
            return Completion(folder + file + (exists && isFolder.boolValue ? "/" : ""))
        }
    }
}
