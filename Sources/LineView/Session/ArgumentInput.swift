import ControllerKit
import Foundation
import Terminal

/// Completes the arguments of a command: reads values from files and asks for secrets.
@MainActor
struct ArgumentInput {
    let coordinator: Coordinator
    let terminal: any LineTerminal
    /// Whether commands are read from the standard input, which `-` would read, too.
    let readsScript: Bool

    /// Returns all values of a command. Files are read first; secrets are asked for last, after the controller's check.
    func values(_ arguments: LineArguments, of command: ScreenVerb) async throws -> ArgumentValues {
        let verb = command.verb
        var values = arguments.values
        for spec in verb.arguments where spec.kind == .secret || spec.kind == .contents {
            guard let file = arguments.files[spec.name] else { continue }
            values[spec.name] = .text(try await contents(of: file, for: spec, arguments))
            if let name = spec.pathArgument, values[name] == nil, file != "-" { values[name] = .text(file) }
        }
        for spec in verb.arguments where readsInput(spec, values) {
            values[spec.name] = .text(try await terminal.contents(of: "-"))
        }
        let given = values
        let asked = verb.arguments.filter {
            $0.kind == .secret && $0.settled(by: given).isRequired && given[$0.name] == nil
        }
        if asked.isEmpty { return values }
        // No password is asked for if the command will be refused anyway.
        try await coordinator.check(verb.name, values, on: command.screen)
        for spec in asked { values[spec.name] = .text(try await secret(spec)) }
        return values
    }

    /// Returns whether an argument that isn't given is read from the standard input.
    private func readsInput(_ spec: ArgumentSpec, _ values: ArgumentValues) -> Bool {
        guard let others = spec.inputUnless, !terminal.isInteractive, !readsScript else { return false }
        return values[spec.name] == nil && others.allSatisfy { values[$0] == nil }
    }

    private func contents(
        of file: String, for spec: ArgumentSpec, _ arguments: LineArguments
    ) async throws -> String {
        guard file != "-" || !readsScript else {
            throw Failure(.usage, "“-” is the script itself here; give \(spec.name) in a file.")
        }
        if terminal.isFolder(file) {
            guard spec.acceptsFolder(arguments.values) else {
                throw Failure(.usage, "“\(file)” is a folder. Give the path of a file.")
            }
            return try Self.json(try await terminal.notes(in: file))
        }
        let text = try await terminal.contents(of: file)
        // Editors and `echo` end a file with a line end, which isn't part of the password.
        return spec.kind == .secret ? String(text.prefix { !$0.isNewline }) : text
    }

    /// Returns the texts of a folder's files as a JSON object, by path.
    private static func json(_ files: [String: String]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(files), as: UTF8.self)
    }

    private func secret(_ spec: ArgumentSpec) async throws -> String {
        guard terminal.isInteractive else {
            throw Failure(
                .usage,
                "The input is not a terminal, so “\(spec.label)” can't be asked for. Give --\(spec.optionName) FILE.")
        }
        let secret = try await terminal.readSecret(prompt: spec.label + ": ")
        guard spec.isNewSecret else { return secret }
        // The person doesn't see what they type: an unnoticed error in a new password would lock them out.
        guard try await terminal.readSecret(prompt: "\(spec.label) again: ") == secret else {
            throw Failure(.usage, "The two entries for “\(spec.label)” do not match. Nothing was changed. Try again.")
        }
        return secret
    }
}
