import ControllerKit
import Foundation
import Processes

/// The person's browser.
enum BrowserLaunch {
    /// Opens a file with the desktop's default program, without waiting for it.
    ///
    /// - Throws: `Failure` where the machine has no desktop that could, `LaunchFailure` where it can't be started.
    static func open(_ file: String) throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let programs = folders.map { "\($0)/xdg-open" }
        guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Failure(
                .failed, "The browser can't be opened: xdg-open is not installed. Open the link yourself.")
        }
        try DetachedProgram(path: program, arguments: [file]).start()
    }
}
