internal import ControllerKit
internal import Foundation
internal import PrivateFiles

/// A file that redirects a browser to a one-time link.
///
/// The link itself would be an argument of the program that opens the browser, which every user of the machine can read
/// (`/proc/PID/cmdline`). The file has mode 0600, in a folder of mode 0700. Jupyter Server does the same.
struct RedirectFile: Sendable, Equatable {
    /// The file's path.
    let path: String

    /// Writes the file.
    ///
    /// - Parameters:
    ///   - link: The link to follow.
    ///   - folder: A folder for such files only, which is created if needed. Files older than a link's lifetime, left
    ///     by killed processes, are removed.
    /// - Throws: `Failure` that names the file or folder.
    init(to link: String, in folder: URL) throws(Failure) {
        try Self.prepare(folder)
        path = folder.appending(path: "open-\(UUID().uuidString).html").path
        do { try PrivateFile(path: path).replace(with: Self.page(redirectingTo: link).utf8) } catch {
            throw Failure(.failed, "“\(error.path)” can't be written: \(error.reason).")
        }
    }

    /// Removes the file. Errors are ignored: a file that can't be removed is useless once its link is used or has
    /// expired.
    func remove() { unlink(path) }

    private static func prepare(_ folder: URL) throws(Failure) {
        let folder = PrivateFolder(path: folder.path)
        do { try folder.prepare() } catch {
            throw Failure(
                .failed,
                "“\(error.path)” can't be used as a private folder: \(error.reason). Remove it, then try again.")
        }
        folder.removeFiles(olderThan: OneTimeLinks.lifetime)
    }

    private static func page(redirectingTo link: String) -> String {
        // The link works only unchanged, so unsafe characters are not replaced.
        let address = link.escaped(sanitizing: false)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(address)">
            <title>Open the page</title>
            </head>
            <body><p><a href="\(address)">Open the page</a></p></body>
            </html>

            """
    }
}
