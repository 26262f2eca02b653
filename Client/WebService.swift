import ControllerKit
import Foundation
import LineView
import LocalStore
import Processes
import SatchelScreens
import Terminal
import WebPageView

/// The web page as a command starts and stops it.
@MainActor
struct WebService {
    nonisolated static let command = OwnCommand(
        "web", usage: "web [--port N] [--open] | web off",
        help: "Serve a page for the browser on this machine, and make a link that opens it once.",
        examples: [
            Example("web", "Serve the page, and print the link."),
            Example("web --open", "Open it in the browser, too."),
            Example("web off", "At the prompt: end the page."),
        ], words: ["--open", "--port", "off"])

    let page: WebPage
    /// The folder of the files that redirect the browser to the page.
    private let folder: URL

    /// A page over the same screens as the rest of the process.
    init(_ conversation: Conversation) throws {
        let terminal = conversation.terminal
        folder = conversation.home.directory.appending(path: "page")
        page = try WebPage(
            conversation.catalog, design: .satchel, sharing: conversation.shared,
            ownScreens: conversation.screensOfAnother("web")
        ) { error in
            // If the output is closed, the failure cannot be reported.
            Task { try? await terminal.writeMessage(Failure(error).message) }
        }
    }

    /// What the words behind `web` say.
    struct Order: Equatable {
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
                        throw Failure(.usage, "--port wants a number from 0 to 65535; 0: any that is free.")
                    }
                    self.port = port
                default:
                    throw Failure(.usage, "Unexpected “\(word)” after “web”.\nUsage: \(command.usage)")
                }
            }
        }
    }

    /// Serves the page, if it isn't served yet, and makes a link.
    func start(_ order: Order, endsBySignals: Bool = false) async throws -> [String] {
        if page.isServing, order.port != nil { await page.stop() }
        try await page.start(port: order.port, endsBySignals: endsBySignals)
        let link = try page.link()
        let failure = order.opensBrowser ? openBrowser() : nil
        let end = endsBySignals ? "Ctrl-C ends it." : "`web` makes another link, `web off` ends it."
        return [link, "Open this link within ten minutes; it works once. \(end)"]
            + [failure].compactMap(\.self)
    }

    /// Opens the page in the browser with a separate one-time link, which is passed in a file, not as a program
    /// argument.
    ///
    /// - Returns: Why opening failed, if it did; the page is served in either case.
    private func openBrowser() -> String? {
        let file = LateValue<RedirectFile>()
        do {
            let link = try page.link { file.value?.remove() }
            let opening = try RedirectFile(to: link, in: folder)
            file.value = opening
            try BrowserLaunch.open(opening.path)
            return nil
        } catch {
            file.value?.remove()
            return Failure(error).message
        }
    }

    /// Ends the page.
    func stop() async -> [String] {
        guard page.isServing else { return ["The page isn't served."] }
        await page.stop()
        return ["The page is closed, and so are its sessions."]
    }
}

/// A value that is set after the objects that use it were created.
@MainActor
private final class LateValue<Value> {
    var value: Value?
}
