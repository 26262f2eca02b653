internal import ControllerKit

/// A value in a configuration file or an environment variable, before its setting has accepted it.
public enum SettingValue: Sendable, Equatable {
    /// A text.
    case text(String)
    /// A whole number.
    case number(Int)
    /// True or false.
    case flag(Bool)
    /// Several values.
    case list([SettingValue])
    /// A value of a kind that no setting has, with the name of the kind: `date`.
    case other(String)
}

extension SettingValue: CustomStringConvertible {
    /// The value for a message.
    public var description: String {
        switch self {
        case .text(let text): "“\(text)”"
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .list: "a list"
        case .other(let kind): "a \(kind)"
        }
    }

    /// The whole number, also one that is written as a text, as in an environment variable.
    var wholeNumber: Int? {
        switch self {
        case .number(let number): number
        case .text(let text): Int(text)
        case .flag, .list, .other: nil
        }
    }

    private var asText: String? { if case .text(let text) = self { text } else { nil } }

    /// Returns the words of a command: a text, or a list of words.
    func words(of name: String, _ wanted: String) throws(SettingRefusal) -> [String] {
        switch self {
        case .text(let text):
            do { return try CommandWords.split(text) } catch { throw SettingRefusal("\(name): \(error.message)") }
        case .list(let values): return try Self.texts(values, "\(name) must be \(wanted)", "a text in quotes")
        case .number, .flag, .other: throw SettingRefusal("\(name) must be \(wanted), not \(description)")
        }
    }

    /// Returns names: a list of them, or a text as in an environment variable.
    func names(of name: String) throws(SettingRefusal) -> [String] {
        switch self {
        case .text(let text): return Self.names(in: text)
        case .list(let values): return try Self.texts(values, "\(name) must be \(Self.listOfNames)", "a name")
        case .number, .flag, .other: throw SettingRefusal("\(name) must be \(Self.listOfNames), not \(description)")
        }
    }

    private static let listOfNames = "a list of names: [\"due\", \"title\"]"

    /// Returns the elements of a list that must consist of texts.
    ///
    /// - Parameters:
    ///   - rule: What the setting must be, for the refusal.
    ///   - element: What each element must be.
    private static func texts(
        _ values: [SettingValue], _ rule: String, _ element: String
    ) throws(SettingRefusal) -> [String] {
        if let wrong = values.first(where: { $0.asText == nil }) {
            throw SettingRefusal("\(rule); in the list, \(wrong.description) isn't \(element)")
        }
        return values.compactMap(\.asText)
    }

    /// Returns the names in a text: separated by commas or spaces, or written as the list of a file.
    static func names(in text: String) -> [String] {
        text.split { $0.isWhitespace || ",[]\"'".contains($0) }.map(String.init)
    }
}
