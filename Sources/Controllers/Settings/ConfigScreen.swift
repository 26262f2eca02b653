public import ControllerKit
public import Notebook

/// The screen of the settings: the value of each, and where it comes from.
public enum ConfigScreen: Screen {
    public static let name = "config"
    public static let summary = "Show your settings."

    /// The state that views show.
    public struct State: ScreenState {
        /// The path of the configuration file; nil: none is used.
        public var file: String?
        /// Why this file is used: `--config` or a variable; nil: it is the default file.
        public var fileSource: String?
        /// Whether the file exists.
        public var fileExists = false
        /// The settings that were asked for.
        public var settings: [Shown] = []
        /// The errors of the file and the variables.
        public var errors: [String] = []
        public var notice: String?

        /// A setting.
        public struct Shown: Codable, Equatable, Sendable {
            /// Its name.
            public var name: String
            /// Its value as text; empty: none.
            public var value: String
            /// Where the value comes from: `default`, a file with a line, or a variable.
            public var origin: String
            /// Whether it has its default.
            public var isDefault: Bool
            /// The values that may be written.
            public var values: String
            /// What it determines.
            public var help: String
        }

        public init() {}

        /// An error sets the exit status, so that scripts detect it.
        public var failureCategory: Failure.Category? { errors.isEmpty ? nil : .usage }
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Show a setting; nil: all. A value is refused with the line to write in the file.
        case show(String?, value: String? = nil)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "config",
            .optional(
                .text("name", help: "The name of one setting.", completing: .values(Setting.all.map(\.name)))),
            .optional(.text("value", help: "A value: shows the line for the configuration file.")),
            traits: .readOnly, help: "Show your settings and where each comes from.", topics: ["settings"],
            namesElsewhere: ["settings", "set"],
            examples: [
                Example("config", "All settings and the file."),
                Example("config week-start", "One setting, with the values that it may have."),
            ]
        ) { .show($0, value: $1) }
    ]
}

/// Shows the settings of the process.
public final class ConfigController: Controller {
    public typealias Screen = ConfigScreen
    public let model = Model(ConfigScreen.State())
    private let settings: LoadedSettings
    private let notebook: Notebook?

    /// Creates a controller for the settings of a process. Its state shows all of them.
    ///
    /// - Parameter notebook: Its record types have the columns and fields that a typed value may name; nil: any name is
    ///   accepted.
    public init(_ settings: LoadedSettings, notebook: Notebook? = nil) {
        (self.settings, self.notebook) = (settings, notebook)
        show(Setting.all)
    }

    public func handle(_ intent: ConfigScreen.Intent) async throws {
        switch intent {
        case .show(let name, let value):
            try show(name)
            if let name, let value { throw line(name, value) }
        }
    }

    private func show(_ name: String?) throws(Failure) {
        let shown = Setting.all.filter { name == nil || $0.name == name }
        if let name, shown.isEmpty { throw Self.unknown(name) }
        show(shown)
    }

    private func show(_ shown: [Setting]) {
        state.notice = nil
        state.file = settings.file?.path
        state.fileSource = settings.file?.source
        state.fileExists = settings.file?.exists ?? false
        state.errors = settings.errors.map(\.description)
        state.settings = shown.map { setting in
            let origin = settings.origin(of: setting)
            return .init(
                name: setting.name, value: setting.text(settings.values), origin: origin.description,
                isDefault: origin == .preset, values: setting.values, help: setting.help)
        }
        if !state.errors.isEmpty {
            state.notice =
                "The settings have errors, listed here. Until you correct them, every command except `config` and `help` is "
                + "refused."
        }
    }

    /// Returns the refusal of a typed value: why it isn't one, or the line that sets it.
    private func line(_ name: String, _ value: String) -> Failure {
        var loaded = LoadedSettings()
        loaded.apply(.text(value), at: [name], from: .preset)
        if let notebook { loaded.check(for: notebook.types, notebook.dates) }
        if let error = loaded.errors.first {
            return Failure(.usage, error.reason.prefix(1).uppercased() + error.reason.dropFirst())
        }
        let isList = Setting.named(name)?.isList ?? false
        let written =
            isList
            ? "[" + SettingValue.names(in: value).map { Self.quoted($0) }.joined(separator: ", ") + "]"
            : Self.quoted(value)
        let file = settings.file?.path ?? "the configuration file"
        return Failure(
            .usage, "`config` only shows settings. To change this one, write the line in \(file): \(name) = \(written)")
    }

    /// Returns a text as a string of TOML.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func unknown(_ name: String) -> Failure {
        var loaded = LoadedSettings()
        loaded.apply(.text(""), at: [name], from: .preset)
        let reason = loaded.errors.first?.reason ?? ""
        return Failure(.notFound, reason.prefix(1).uppercased() + reason.dropFirst())
    }
}
