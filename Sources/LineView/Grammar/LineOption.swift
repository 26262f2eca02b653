import ControllerKit

/// An option that the line view adds to every verb with the trait `finds`.
enum LineOption: String, Sendable, CaseIterable {
    /// The columns of `--plain`, by name.
    case columns
    /// Whether the exit status shows that nothing matches.
    case exitStatus = "exit-status"

    /// Whether a value follows.
    var hasValue: Bool {
        switch self {
        case .columns: true
        case .exitStatus: false
        }
    }

    /// The option in a usage line.
    var usage: String { "--\(rawValue)" + (hasValue ? " <name,…>" : "") }

    /// One line of help.
    var help: String {
        switch self {
        case .columns: "For scripts: the columns of --plain, by name: id,title."
        case .exitStatus: "For scripts: exit with 1 if nothing matches."
        }
    }
}

extension VerbSignature {
    /// The options that its line may have. An option of the verb itself hides one with the same name.
    var lineOptions: [LineOption] {
        guard traits.contains(.finds) else { return [] }
        return LineOption.allCases.filter { option in !arguments.contains { $0.optionName == option.rawValue } }
    }
}
