public import ControllerKit
public import Foundation
internal import PrivateFiles

/// A file that leads a browser to a one-time link.
///
/// The link itself would stand among the arguments of the program that opens the browser, where every user of the machine can
/// read it (`/proc/PID/cmdline`). The file has mode 0600, in a folder of mode 0700. Jupyter Server does the same.
public struct OpeningFile: Sendable, Equatable {
    /// The file's path.
    public let path: String

    /// Writes the file.
    ///
    /// - Parameters:
    ///   - link: the link to follow.
    ///   - folder: the folder for such files alone, which is made if need be. Those in it that are older than a link lives, left
    ///     behind by processes that were killed, are removed.
    /// - Throws: `Failure` that names the file.
    public init(leadingTo link: String, in folder: URL) throws(Failure) {
        try Self.prepare(folder)
        path = folder.appending(path: "open-\(UUID().uuidString).html").path
        do { try PrivateFile(path: path).replace(with: Self.page(leadingTo: link).utf8) } catch {
            throw Failure(.failed, "“\(error.path)” can't be written: \(error.reason).")
        }
    }

    /// Removes the file. One that is gone already, or can't be removed, leads nowhere once its link is used or too old.
    public func remove() { unlink(path) }

    private static func prepare(_ folder: URL) throws(Failure) {
        var status = stat()
        guard mkdir(folder.path, 0o700) == 0 || errno == EEXIST, lstat(folder.path, &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), chmod(folder.path, 0o700) == 0
        else {
            throw Failure(.failed, "“\(folder.path)” can't be used as a private folder. Remove it, then try again.")
        }
        // Files that can't be listed or looked at stay.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
            let path = folder.appending(path: name).path
            guard lstat(path, &status) == 0,
                time(nil) - status.st_mtim.tv_sec > OneTimeLinks.lifetime.components.seconds
            else { continue }
            unlink(path)
        }
    }

    private static func page(leadingTo link: String) -> String {
        let address = link.escaped(neutralising: false)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(address)">
            <title>Satchel</title>
            </head>
            <body><p><a href="\(address)">Open Satchel</a></p></body>
            </html>

            """
    }
}
