internal import ControllerKit

/// The declaration of a setting. Reading files, `config`, help and completion are derived from ``all``.
public struct Setting: Sendable {
    /// The name in the file and for `config`: `week-start`.
    public let name: String
    /// The values that may be written: `monday, tuesday or auto`.
    public let values: String
    /// What it determines, in one sentence.
    public let help: String
    /// Whether it is a table in the file, each line of which has a name of its own.
    public let isTable: Bool
    /// Whether it is a list of names in the file.
    let isList: Bool
    /// Returns the current value as text; empty: none.
    let text: @Sendable (Settings) -> String
    private let apply: @Sendable (SettingValue, _ key: String, inout Settings) throws(SettingRefusal) -> Void

    /// Sets the value.
    ///
    /// - Parameter key: The name of the line of a table; nil: the setting isn't written as a table.
    func set(_ value: SettingValue, key: String?, in settings: inout Settings) throws(SettingRefusal) {
        if isTable != (key != nil) { throw SettingRefusal("“\(name)” must be \(values)") }
        try apply(value, key ?? "", &settings)
    }

    private init(
        _ name: String, _ values: String, isTable: Bool = false, isList: Bool = false, help: String,
        text: @escaping @Sendable (Settings) -> String,
        apply: @escaping @Sendable (SettingValue, _ key: String, inout Settings) throws(SettingRefusal) -> Void
    ) {
        (self.name, self.values, self.isTable, self.isList, self.help) = (name, values, isTable, isList, help)
        (self.text, self.apply) = (text, apply)
    }
}

/// The reason why a value isn't accepted, as a clause.
struct SettingRefusal: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

// The catalogue.
extension Setting {
    /// All settings, in the order in which `config` shows them.
    public static let all: [Setting] = [
        aliases, defaultList, columns, theme, weekStart, dateStyle, confirmation, titleDates,
        credentialCommand,
    ]

    /// Returns the setting with this name; nil: there is none.
    public static func named(_ name: String) -> Setting? { all.first { $0.name == name } }

    private static let aliases = Setting(
        "aliases", "a table: recent = \"list sort:-created\"", isTable: true,
        help: "Your own names for commands. Further words are added to the command.",
        text: { settings in
            settings.aliases.sorted { $0.key < $1.key }
                .map { "\($0.key) = \(CommandWords.joined($0.value))" }.joined(separator: "; ")
        },
        apply: { value, key, settings throws(SettingRefusal) in
            guard !key.isEmpty, !key.hasPrefix("-"), !key.contains(where: \.isWhitespace) else {
                throw SettingRefusal("“\(key)” can't be the name of a command: it must be one word without a leading -")
            }
            let sample = "\"list sort:-created\""
            let words = try value.words(of: "the alias “\(key)”", "a command in quotes: \(key) = \(sample)")
            if words.isEmpty { throw SettingRefusal("the alias “\(key)” is empty; write a command: \(sample)") }
            settings.aliases[key] = words
        })

    static let defaultList = Setting(
        "default-list", "the words of a filter: \"sort:-created\"",
        help: "The filter of `list` without words. `list all` shows everything.",
        text: { CommandWords.joined($0.defaultList) },
        apply: { value, _, settings throws(SettingRefusal) in
            settings.defaultList = try value.words(of: "default-list", "the words of a filter: \"sort:-created\"")
        })

    static let columns = Setting(
        "columns", "names of fields: [\"created\", \"title\"]", isList: true,
        help: "The columns of a list, in this order, with the same names as for --columns. The title is always shown.",
        text: { $0.columns.joined(separator: ", ") },
        apply: { value, _, settings throws(SettingRefusal) in
            let names = try value.names(of: "columns")
            if names.isEmpty {
                throw SettingRefusal(
                    "columns is empty; leave it out for the default columns, or write [\"due\", \"title\"]")
            }
            if let twice = names.enumerated().first(where: { names.prefix($0.offset).contains($0.element) }) {
                throw SettingRefusal("columns has “\(twice.element)” twice; leave one out")
            }
            settings.columns = names
        })

    private static let theme = choice(
        "theme", help: "The colours of the terminal; `none` for no colour.", get: \.theme,
        set: { $1.theme = $0 })

    private static let weekStart = choice(
        "week-start",
        help: "The first day of the week, for week, eow and next week; `auto`: as in the system's region.",
        get: \.weekStart, set: { $1.weekStart = $0 })

    private static let dateStyle = choice(
        "date-style", help: "How lists, reports and notices show dates: tomorrow, or 2026-11-24.", get: \.dateStyle,
        set: { $1.dateStyle = $0 })

    private static let confirmation = Setting(
        "confirm-above", "a number from 0 to \(largestConfirmation), always or never",
        help:
            "A command that changes more records than this asks for confirmation. A deletion by a filter always asks.",
        text: { settings in
            settings.confirmationLimit.map { $0 == 0 ? "always" : String($0) } ?? "never"
        },
        apply: { value, _, settings throws(SettingRefusal) in
            switch value {
            case .text("always"): settings.confirmationLimit = 0
            case .text("never"): settings.confirmationLimit = nil
            case .number, .text, .flag, .list, .other:
                guard let number = value.wholeNumber, (0...largestConfirmation).contains(number) else {
                    throw SettingRefusal(
                        "confirm-above must be a number from 0 to \(largestConfirmation), “always” or “never”, "
                            + "not \(value.description)")
                }
                settings.confirmationLimit = number
            }
        })

    private static let titleDates = choice(
        "title-dates",
        help:
            "A date at the end of a new title: `offer` suggests the command that uses it as the deadline, `use` makes it "
            + "the deadline.",
        get: \.titleDates, set: { $1.titleDates = $0 })

    private static let credentialCommand = Setting(
        "credential-command", "a program and its arguments: \"keyring-helper\"",
        help: "Stores the tokens of your sessions, as git's credential helpers do; without it, they are in the home.",
        text: { CommandWords.joined($0.credentialCommand) },
        apply: { value, _, settings throws(SettingRefusal) in
            let words = try value.words(of: "credential-command", "a program and its arguments: \"keyring-helper\"")
            // Relative to which directory? Each command may run in another one.
            if let program = words.first, program.isEmpty || program.contains("/") && !program.hasPrefix("/") {
                throw SettingRefusal(
                    "credential-command must begin with the name of a program in PATH or with an absolute path, not with "
                        + "“\(program)”")
            }
            settings.credentialCommand = words
        })

    /// The largest number of `confirm-above`.
    static let largestConfirmation = 10_000

    /// Declares a setting with one of some words as its value.
    private static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, help: String, get: @escaping @Sendable (Settings) -> Value,
        set: @escaping @Sendable (Value, inout Settings) -> Void
    ) -> Setting {
        let words = Value.allCases.map(\.rawValue)
        let known = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return Setting(
            name, known, help: help, text: { get($0).rawValue },
            apply: { value, _, settings throws(SettingRefusal) in
                guard case .text(let word) = value, let chosen = Value(rawValue: word) else {
                    throw SettingRefusal("\(name) must be \(known), not \(value.description)")
                }
                set(chosen, &settings)
            })
    }
}
