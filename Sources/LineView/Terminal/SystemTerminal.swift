import ControllerKit
import Foundation
import Processes

/// The process's own standard input, output and error.
public final class SystemTerminal: LineTerminal {
    private let input = InputFile(descriptor: STDIN_FILENO)
    private let output = OutputFile(descriptor: STDOUT_FILENO)
    private let messages = OutputFile(descriptor: STDERR_FILENO)
    private let environment: [String: String]

    /// The standard files, read and written by nobody else meanwhile.
    public init(environment: [String: String]) { self.environment = environment }

    public var page: LinePage {
        let size = size()
        return TerminalTraits.page(
            isTerminal: isatty(STDOUT_FILENO) == 1, terminalColumns: size?.columns, terminalRows: size?.rows,
            environment: environment)
    }

    public var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    public func write(_ text: String, to stream: LineStream) async throws {
        switch stream {
        case .data: try await output.write(text)
        case .messages: try await messages.write(text)
        }
    }

    public func browse(_ text: String) async throws {
        guard let pager = ForegroundProgram.pager(environment: environment) else {
            return try await write(text, to: .data)
        }
        do { try await pager.page(text) } catch let failure as ProgramFailure {
            throw Failure(.failed, failure.description)
        }
    }

    @MainActor
    public func edit(
        _ text: String, ending: String, take: @MainActor (String) async throws -> Void
    ) async throws -> Bool {
        guard isInteractive else { return false }
        do {
            try await ForegroundProgram.editor(environment: environment).edit(text, ending: ending, take: take)
        } catch let failure as ProgramFailure {
            throw Failure(.failed, failure.description)
        } catch let refused as RefusedText {
            let why = Failure(refused.reason)
            throw Failure(
                why.category, why.message + "\nWhat was typed is in \(refused.leftover).", diagnostic: why.diagnostic)
        }
        return true
    }

    public func readLine(prompt: String) async throws -> String? {
        if isInteractive { try await messages.write(prompt) }
        return try await input.line()
    }

    public func readSecret(prompt: String) async throws -> String {
        guard isInteractive else { throw Failure(.usage, "Nobody can be asked for it: the input is not a terminal.") }
        try await messages.write(prompt)
        return try await input.secret()
    }

    public func contents(of file: String) async throws -> String {
        if file == "-" { return try await input.rest() }
        if FolderReader.isFolder(file) { return try await FolderReader(path: file).text() }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.notFound, "“\(file)” can't be read: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        return try await InputFile(descriptor: descriptor).rest()
    }

    public func append(_ text: String, to file: String) async throws {
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(.notFound, "“\(file)” can't be written: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        try await OutputFile(descriptor: descriptor).write(text)
    }

    /// The bytes of the standard input in pieces, for adapters that read no lines.
    public var chunks: AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { [input] in try await input.chunk() }
    }

    private func size() -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
