public import ControllerKit
import Terminal

/// Another medium that a line session may attach to its controllers, beside itself: JSON lines, for instance.
@MainActor
public struct OtherMedium: Sendable {
    let name: String
    let make: (_ write: @escaping @MainActor (String) async throws -> Void) -> any ViewFactory

    /// A medium, by the name that `view` knows it by.
    ///
    /// - Parameter make: Makes the factory of its views, which write lines, without their ends, with `write`.
    public init(
        _ name: String, make: @escaping (_ write: @escaping @MainActor (String) async throws -> Void) -> any ViewFactory
    ) {
        self.name = name
        self.make = make
    }
}

/// Something that a line session runs beside itself, by a command of its own: a web page, for instance.
@MainActor
public struct Companion: Sendable {
    let command: OwnCommand
    let run: @MainActor (_ words: [String]) async throws -> [String]
    /// Ends what runs; returns when it has ended.
    public let end: @MainActor () async -> Void

    /// A companion.
    ///
    /// - Parameters:
    ///   - command: The command that runs it.
    ///   - run: Carries the command out, with the words behind its name; what it returns is shown.
    ///   - end: Ends what runs; returns when it has ended.
    public init(
        _ command: OwnCommand, run: @escaping @MainActor (_ words: [String]) async throws -> [String],
        end: @escaping @MainActor () async -> Void = {}
    ) {
        self.command = command
        self.run = run
        self.end = end
    }
}

/// The other media of a session, and which of them are attached.
@MainActor
final class Media {
    let known: [OtherMedium]
    var attached: [String: any ViewFactory] = [:]

    init(_ known: [OtherMedium]) { self.known = known }
}

extension LineSession {
    /// Shows which views are attached; `view json` attaches one to the output, `view json FILE` to a file, and
    /// `view json off` detaches it.
    func view(_ words: [String]) async throws -> [String] {
        guard let said = words.first else { return attachedViews() }
        let names = ["line"] + media.known.map(\.name)
        let usage = "\nUsage: view [\(names.dropFirst().joined(separator: "|")) [<file>|off]]"
        let name: String
        do { name = try Vocabulary(noun: "view", names: names).name(meantBy: said) } catch {
            throw Failure(.usage, error.message + usage)
        }
        if words.count > 2 { throw Failure(.usage, "Unexpected “\(words[2])” after “view”." + usage) }
        guard let medium = media.known.first(where: { $0.name == name }) else {
            throw Failure(.usage, "The line view is the one you type in; it stays.")
        }
        let argument = words.dropFirst().first
        // Tells now that a file can't be written, before anything changes.
        if let argument, argument != "off" { try await terminal.append("", to: argument) }
        if let attached = media.attached.removeValue(forKey: name) { coordinator.detach(attached) }
        if argument != "off" { attach(medium, file: argument) }
        return attachedViews()
    }

    private func attach(_ medium: OtherMedium, file: String?) {
        let factory = medium.make { [terminal] line in
            if let file {
                try await terminal.append(line + "\n", to: file)
            } else {
                try await terminal.write(line + "\n", to: .data)
            }
        }
        media.attached[medium.name] = factory
        coordinator.attach(factory)
    }

    private func attachedViews() -> [String] {
        ["line: attached"]
            + media.known.map { "\($0.name): " + (media.attached[$0.name] == nil ? "not attached" : "attached") }
    }
}
