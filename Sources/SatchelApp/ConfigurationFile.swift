internal import ControllerKit
internal import Controllers
internal import Foundation
internal import PrivateFiles
internal import TOMLText

/// The configuration file of a program's user.
struct ConfigurationFile: Equatable {
    /// The largest size of a file, in bytes.
    static let maximumSize = 1 << 20

    let path: String
    /// How the path was determined: `--config`, or the name of a variable; nil: it is the default file.
    let source: String?

    /// Determines the file: `--config`, else the variable `PREFIX_CONFIG`, else `config.toml` in the program's directory
    /// in `XDG_CONFIG_HOME`, else in `~/.config` (XDG Base Directory Specification 0.8). Nil if the variable is empty: the
    /// user wants no file.
    init?(_ program: Program, option: String?, _ environment: [String: String]) {
        let variable = program.variable("CONFIG")
        if let option {
            (path, source) = (option, "--config")
        } else if let named = environment[variable] {
            if named.isEmpty { return nil }
            (path, source) = (named, "$" + variable)
        } else {
            // The specification: a relative XDG path is invalid and ignored.
            let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            let folder = base ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.config"
            (path, source) = ("\(folder)/\(program.command)/config.toml", nil)
        }
    }

    /// Reads the settings in the file. A file that can't be used is an error of the settings.
    func settings() -> LoadedSettings {
        var settings = LoadedSettings()
        let text: String?
        do throws(Unreadable) { text = try contents() } catch {
            settings.note(.init(path: path, source: source, exists: true))
            settings.refuse("the configuration file can't be read: \(error.reason).", at: .file(path, line: nil))
            return settings
        }
        settings.note(.init(path: path, source: source, exists: text != nil))
        guard let text else { return settings }
        do throws(TOMLDocument.SyntaxError) {
            for entry in try TOMLDocument(text).entries {
                settings.apply(
                    SettingValue(entry.value), at: entry.path, from: .file(path, line: entry.line))
            }
        } catch {
            settings.refuse(
                "this isn't TOML: \(error.reason) (column \(error.column)).", at: .file(path, line: error.line))
        }
        return settings
    }

    private struct Unreadable: Error {
        let reason: String
    }

    /// Returns the text of the file; nil: the default file doesn't exist.
    private func contents() throws(Unreadable) -> String? {
        // Without blocking: the path may be that of a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if source == nil, errno == ENOENT || errno == ENOTDIR { return nil }
            throw Unreadable(reason: SystemError.last)
        }
        defer { close(descriptor) }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Unreadable(reason: SystemError.last) }
            if count == 0 { break }
            bytes += part[..<count]
            guard bytes.count <= Self.maximumSize else {
                throw Unreadable(reason: "it is larger than \(Self.maximumSize >> 20) MiB")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Unreadable(reason: "it isn't UTF-8") }
        return text
    }
}

extension SettingValue {
    /// Creates the value of a setting from a value in a file.
    fileprivate init(_ value: TOMLDocument.Value) {
        self =
            switch value {
            case .text(let text): .text(text)
            case .integer(let number): .number(number)
            case .flag(let flag): .flag(flag)
            case .array(let values): .list(values.map { SettingValue($0) })
            case .other(let kind): .other(kind)
            }
    }
}
