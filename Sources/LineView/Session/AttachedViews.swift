import ControllerKit
import Terminal

/// The views of other front ends that the command `view` attaches to a session.
@MainActor
final class AttachedViews {
    /// The front ends whose views can be attached.
    private let frontends: [any Frontend]
    private let coordinator: Coordinator
    private let terminal: any LineTerminal
    /// The attached views, by the names of their front ends.
    private var attached: [String: any ViewFactory] = [:]

    init(of frontends: [any Frontend], to coordinator: Coordinator, _ terminal: any LineTerminal) {
        self.frontends = frontends.filter { type(of: $0).canBeAttached }
        (self.coordinator, self.terminal) = (coordinator, terminal)
    }

    /// Performs the command `view`: without words it lists the views; `json` attaches a view that writes to the output,
    /// `json FILE` one that writes to a file, and `json off` detaches it.
    ///
    /// - Returns: The list of the views.
    func perform(_ words: [String]) async throws -> [String] {
        guard let said = words.first else { return list }
        let names = [LineSession.name] + frontends.map(\.frontendName)
        let usage = "\nUsage: view [\(names.dropFirst().joined(separator: "|")) [<file>|off]]"
        let name: String
        do { name = try Vocabulary(noun: "view", names: names).name(meantBy: said) } catch {
            throw Failure(.usage, error.message + usage)
        }
        if words.count > 2 { throw Failure(.usage, "Unexpected “\(words[2])” after “view”." + usage) }
        guard let frontend = frontends.first(where: { $0.frontendName == name }) else {
            throw Failure(.usage, "The line view is the one that you type in, so it can't be detached.")
        }
        let argument = words.dropFirst().first
        // Appending nothing reports a file that can't be written, before a view is detached.
        if let argument, argument != "off" { try await terminal.append("", to: argument) }
        if let views = attached.removeValue(forKey: name) { coordinator.detach(views) }
        if argument != "off" { attach(frontend, file: argument) }
        return list
    }

    private func attach(_ frontend: any Frontend, file: String?) {
        let views = frontend.views { [terminal] line in
            if let file {
                try await terminal.append(line + "\n", to: file)
            } else {
                try await terminal.write(line + "\n", to: .data)
            }
        }
        guard let views else { return }
        attached[frontend.frontendName] = views
        coordinator.attach(views)
    }

    private var list: [String] {
        ["\(LineSession.name): attached"]
            + frontends.map {
                "\($0.frontendName): " + (attached[$0.frontendName] == nil ? "not attached" : "attached")
            }
    }
}

extension Frontend {
    fileprivate var frontendName: String { Self.name }
}
