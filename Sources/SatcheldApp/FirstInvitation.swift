import Foundation
import Logging
import PrivateFiles
import ServerCore

/// The invitation for the first account of a server whose registration is by invitation: shown on a terminal, or else in a
/// file of the data directory that only its owner can read. A log is kept and read by others, and systemd keeps the
/// standard output as well.
struct FirstInvitation: Sendable {
    private let invitations: InviteService
    private let directory: URL
    private let file: PrivateFile
    private let terminal: (@Sendable (_ text: String) -> Void)?
    private let logger: Logger

    /// The file's name in the data directory.
    static let fileName = "first-invitation"
    /// Time between two checks of whether the invitation in the file can still be used.
    private static let interval = Duration.seconds(2)

    /// - Parameter terminal: Shows a text to the person at the terminal; nil: there is none.
    init(
        store: any ServerStore, directory: URL, terminal: (@Sendable (_ text: String) -> Void)?, logger: Logger
    ) {
        invitations = InviteService(store: store, owner: Satcheld.name)
        self.directory = directory
        file = PrivateFile(path: directory.appending(path: Self.fileName).path)
        (self.terminal, self.logger) = (terminal, logger)
    }

    /// Makes the invitation if no one could register otherwise, and writes it to the file if there is no terminal. Removes a
    /// file whose invitation can't be used any more.
    ///
    /// - Returns: The invitation for the terminal; nil if there is none to show.
    func make() async throws -> InviteService.Made? {
        try await removeUnusable()
        let made = try await invitations.addFirst { made in
            if terminal == nil { try write(made) }
        }
        if isInFile {
            logger.notice(
                "there is no account yet; the file has an invitation for the first one",
                metadata: ["file": "\(file.path)"])
        }
        return terminal == nil ? nil : made
    }

    /// Writes an invitation to the file. With a store elsewhere, no one has created the data directory before.
    private func write(_ made: InviteService.Made) throws {
        let reason: String
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return try file.replace(with: Array("\(made.code)\n\(made.advice)\n".utf8))
        } catch let failure as FileFailure {
            reason = failure.reason
        } catch {
            reason = error.localizedDescription
        }
        throw SettingsError(
            "there is no account yet, and the invitation for the first one can't be written to \(file.path): \(reason). Name "
                + "a folder that the server may write with --data, or make an invitation with satcheld invite add")
    }

    /// Shows an invitation on the terminal.
    func show(_ made: InviteService.Made) {
        terminal?("satcheld: there is no account yet; an invitation \(made.advice)")
    }

    /// Removes the file once its invitation was used or withdrawn or has expired, until the task is cancelled.
    func watch() async {
        while isInFile, !Task.isCancelled {
            // The sleep fails only if the task is cancelled, which ends the loop.
            try? await Task.sleep(for: Self.interval)
            // The next check repeats it.
            try? await removeUnusable()
        }
    }

    private var isInFile: Bool { access(file.path, F_OK) == 0 }

    private func removeUnusable() async throws {
        // Without the file there is nothing to remove.
        guard let bytes = FileManager.default.contents(atPath: file.path) else { return }
        let code = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        if try await !invitations.isUsable(code) { unlink(file.path) }
    }
}
