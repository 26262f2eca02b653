public import ControllerKit
public import Foundation
internal import PrivateFiles

/// The page as a front end: commands start and stop it, and print links.
@MainActor
public final class WebFrontend: Frontend {
    public nonisolated static var name: String { "web" }
    public nonisolated static var purpose: String { "a page in a browser on this machine" }
    public nonisolated static var ownsCommand: Bool { true }

    public nonisolated static func commands(of program: Program) -> [FrontendCommand] {
        [
            FrontendCommand(
                name, usage: usage,
                help: "Serve a page for the browser on this machine, and print a link that opens it once.",
                namesElsewhere: ["browse"],
                examples: [
                    Example("web", "Serve the page and print the link."),
                    Example("web --open", "Also open it in the browser."),
                    Example("web off", "At the prompt: stop serving the page."),
                ], words: .fixed(["--open", "--port", "off"]))
        ]
    }

    private nonisolated static let usage = "web [--port N] [--open] | web off"

    private let makePage: @MainActor (_ isAlone: Bool) throws -> WebPage
    /// The page, once it was needed.
    private var made: WebPage?
    private let folder: URL
    private let program: Program
    private let openBrowser: @MainActor (_ file: String) throws -> Void
    private let write: @MainActor (String) async throws -> Void

    /// Creates a front end whose page isn't served yet.
    ///
    /// - Parameters:
    ///   - page: Creates the page when it is served first, since most commands of a process don't need it. `isAlone`:
    ///     whether no other front end of the process is used, so that the page shares its screens with none.
    ///   - program: The program, for messages.
    ///   - folder: The folder of the files that redirect the browser to the page.
    ///   - openBrowser: Opens a file in the user's browser.
    ///   - write: Writes a text to the output when the page runs the process.
    public init(
        _ page: @escaping @MainActor (_ isAlone: Bool) throws -> WebPage, of program: Program, folder: URL,
        openBrowser: @escaping @MainActor (_ file: String) throws -> Void,
        write: @escaping @MainActor (String) async throws -> Void
    ) {
        (makePage, self.program, self.folder) = (page, program, folder)
        (self.openBrowser, self.write) = (openBrowser, write)
    }

    /// Serves the page until a signal ends the process.
    public func run(_ words: [String]) async throws -> CommandStatus {
        let options = try Options(words.first == Self.name ? Array(words.dropFirst()) : words)
        guard !options.isOff else {
            throw Failure(
                .usage,
                "`web off` stops the page of the prompt in which it is typed. Stop a page that `\(program.command) web` serves with "
                    + "Ctrl-C in its terminal.")
        }
        let page = try page(isAlone: true)
        let lines = try await start(page, options, endsBySignals: true)
        try await write(lines.joined(separator: "\n") + "\n")
        try await page.wait()
        return .ok
    }

    private func page(isAlone: Bool) throws -> WebPage {
        if let made { return made }
        let page = try makePage(isAlone)
        made = page
        return page
    }

    public func perform(_ command: String, _ words: [String]) async throws -> [String] {
        let options = try Options(words)
        return options.isOff ? await close() : try await start(page(isAlone: false), options)
    }

    public func stop() async { await made?.stop() }

    /// The options of `web`.
    struct Options: Equatable {
        var port: Int?
        var opensBrowser = false
        var isOff = false

        init(_ words: [String]) throws(Failure) {
            var rest = words[...]
            while let word = rest.popFirst() {
                switch word {
                case "off" where words.count == 1: isOff = true
                case "--open": opensBrowser = true
                case "--port":
                    guard let port = rest.popFirst().flatMap({ Int($0) }), (0...65_535).contains(port) else {
                        throw Failure(.usage, "--port must be a number from 0 to 65535; 0 chooses a free port.")
                    }
                    self.port = port
                default:
                    throw Failure(.usage, "Unexpected “\(word)” after “web”.\nUsage: \(WebFrontend.usage)")
                }
            }
        }
    }

    /// Serves the page, if it isn't served yet, and creates a link.
    private func start(_ page: WebPage, _ options: Options, endsBySignals: Bool = false) async throws -> [String] {
        // The port of a running page can't be changed. Its sessions end.
        if page.isServing, options.port != nil { await page.stop() }
        try await page.start(port: options.port, endsBySignals: endsBySignals)
        let link = try page.link()
        let failure = options.opensBrowser ? openInBrowser(page) : nil
        let end = endsBySignals ? "Ctrl-C ends it." : "`web` prints another link, `web off` stops the page."
        return [link, "Open this link within ten minutes; it works once. \(end)"]
            + [failure].compactMap(\.self)
    }

    /// Opens the page in the browser with a separate one-time link, which is passed in a file: other users can read the
    /// arguments of a program.
    ///
    /// - Returns: The error message if it can't be opened; the page is served in either case.
    private func openInBrowser(_ page: WebPage) -> String? {
        // The file contains the link, and the link removes the file.
        let file = LateValue<RedirectFile>()
        do {
            let link = try page.link { file.value?.remove() }
            let opening = try RedirectFile(to: link, in: folder)
            file.value = opening
            try openBrowser(opening.path)
            return nil
        } catch {
            // The link remains valid, but no file contains it.
            file.value?.remove()
            return Failure(error).message
        }
    }

    private func close() async -> [String] {
        guard let page = made, page.isServing else { return ["The page isn't served."] }
        await page.stop()
        return ["The page is closed, and so are its sessions."]
    }
}

/// A value that is set after the objects that use it were created.
@MainActor
private final class LateValue<Value> {
    var value: Value?
}

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
