public import ControllerKit
public import Records
internal import TextMerge

/// The settings of a process, with the origin of each value and the errors of the file.
public struct LoadedSettings: Sendable, Equatable {
    /// The values. Settings with errors have their defaults.
    public private(set) var values = Settings()
    /// Why the file or a variable can't be used; empty: there is nothing wrong.
    public private(set) var errors: [SettingError] = []
    /// The configuration file; nil: the process has none.
    public private(set) var file: File?
    private var origins: [String: SettingOrigin] = [:]

    /// A configuration file.
    public struct File: Sendable, Equatable {
        /// Its path.
        public let path: String
        /// How the path was determined: `--config`, the name of a variable, or nothing.
        public let source: String?
        /// Whether it exists.
        public let exists: Bool

        /// Creates a description of a file.
        public init(path: String, source: String?, exists: Bool) {
            (self.path, self.source, self.exists) = (path, source, exists)
        }
    }

    /// Creates the default settings, without a file.
    public init() {}

    /// Returns where the value of a setting comes from.
    public func origin(of setting: Setting) -> SettingOrigin { origins[setting.name] ?? .preset }

    /// Returns where an alias is defined.
    public func origin(ofAlias name: String) -> SettingOrigin { origins[Self.alias(name)] ?? .preset }

    private static func alias(_ name: String) -> String { "aliases." + name }

    // MARK: Reading

    /// Notes the configuration file of the process.
    public mutating func note(_ file: File) { self.file = file }

    /// Adds an error that isn't one of a setting, such as wrong syntax.
    public mutating func refuse(_ reason: String, at origin: SettingOrigin) {
        errors.append(SettingError(origin: origin, reason: reason))
    }

    /// Applies a line of a file.
    ///
    /// - Parameters:
    ///   - path: The name of the setting; in a table, then the name in it.
    public mutating func apply(_ value: SettingValue, at path: [String], from origin: SettingOrigin) {
        let name = path.first ?? ""
        guard let setting = Setting.named(name), path.count <= 2 else {
            let nearest = Suggestion.nearest(name, among: Setting.all.map(\.name))
            let hint = nearest.map { " Did you mean “\($0)”?" } ?? " `config` lists the settings."
            return refuse("unknown setting “\(path.joined(separator: "."))”.\(hint)", at: origin)
        }
        let key = path.count == 2 ? path[1] : nil
        do throws(SettingRefusal) {
            try setting.set(value, key: key, in: &values)
            origins[name] = origin
            if let key { origins[Self.alias(key)] = origin }
        } catch { refuse(error.reason + ".", at: origin) }
    }

    /// Applies the environment variables of a program, such as `SATCHEL_WEEK_START`. An empty one is ignored.
    public mutating func apply(_ environment: [String: String], of program: Program) {
        for setting in Setting.all where !setting.isTable {
            let variable = setting.variable(of: program)
            guard let text = environment[variable], !text.isEmpty else { continue }
            apply(.text(text), at: [setting.name], from: .environment(variable))
        }
    }
}

extension LoadedSettings {
    /// Refuses a column that lists of these record types don't have, and a default list that isn't a filter of them. The
    /// process calls it when it knows the types, after it has read the file.
    public mutating func check(for types: RecordTypes, _ dates: DateExpression.Context) {
        checkColumns(for: types)
        checkDefaultList(for: types, dates)
    }

    private mutating func checkDefaultList(for types: RecordTypes, _ dates: DateExpression.Context) {
        // The saved filters in it are read when the list is shown.
        let parts = FilterPart.parts(of: values.defaultList).replacingNames { _ in [] }
        do throws(InputError) { _ = try Query(parts: parts, dates: dates, types: types) } catch {
            refuse("default-list isn't a filter: \(error.description)", at: origin(of: Setting.defaultList))
            values.defaultList = Settings().defaultList
            origins[Setting.defaultList.name] = nil
        }
    }

    private mutating func checkColumns(for types: RecordTypes) {
        let columns = ListColumn.all(for: types)
        let known = columns.map(\.name)
        guard let unknown = values.columns.first(where: { ListColumn.named($0, in: columns) == nil }) else { return }
        let hint = Suggestion.nearest(unknown, among: known.sorted()).map { " Did you mean “\($0)”?" } ?? ""
        refuse(
            "columns contains “\(unknown)”, which isn't a column.\(hint) Known names: \(known.joined(separator: ", ")).",
            at: origin(of: Setting.columns))
        values.columns = Settings().columns
        origins[Setting.columns.name] = nil
    }
}

extension Setting {
    /// Returns the environment variable of a program that takes precedence over the file: `SATCHEL_WEEK_START`.
    public func variable(of program: Program) -> String {
        program.variable(name.uppercased().replacing("-", with: "_"))
    }
}

/// Where the value of a setting comes from. New cases may be added.
public enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    /// The default.
    case preset
    /// A file; the line is nil if it isn't known.
    case file(String, line: Int?)
    /// An environment variable.
    case environment(String)

    /// The origin for a message: `default`, `config.toml:3`, `$SATCHEL_THEME`.
    public var description: String {
        switch self {
        case .preset: "default"
        case .file(let path, let line): path + (line.map { ":\($0)" } ?? "")
        case .environment(let name): "$" + name
        }
    }
}

/// A value that can't be used, with its origin.
public struct SettingError: Sendable, Equatable, CustomStringConvertible {
    /// The origin.
    public let origin: SettingOrigin
    /// The reason, as a sentence.
    public let reason: String

    /// The origin and the reason.
    public var description: String { "\(origin): \(reason)" }
}

extension LoadedSettings {
    /// Throws if there are errors, before a command reads or changes anything.
    ///
    /// - Parameter program: The program whose command and variable the message names.
    /// - Throws: `Failure` of category `usage` with all errors.
    public func check(for program: Program) throws(Failure) {
        if errors.isEmpty { return }
        throw Failure(
            .usage,
            errors.map(\.description).joined(separator: "\n")
                + "\nNothing was done. Correct the settings (`\(program.command) config` lists them), or set "
                + "\(program.variable("CONFIG")) to an empty value to ignore the file.")
    }
}
