import ArgumentParser
import Configuration
import Foundation
import Logging
import PrivateFiles
import Records
import ServerCore
import SyncAPI
import TextMerge

/// The settings of the server, merged from flags, environment, configuration file and defaults, the first of which has
/// precedence.
public struct ServeSettings: Sendable {
    let host: String
    let port: Int
    /// Where to listen: the socket, if one is set, else host and port.
    let listening: ListeningAddress
    /// The files of the certificate and its key; nil: the server speaks plain HTTP.
    let tls: (certificate: String, key: String)?
    /// Whether other machines can reach the server over plain HTTP, which `--insecure-http` has accepted.
    let isExposed: Bool
    let data: URL
    let store: StoreSetting
    let logLevel: Logger.Level
    let logFormat: LogFormat
    /// The address of the metrics; nil: none.
    let metrics: MetricsAddress?
    let server: ServerConfiguration

    /// Creates the settings of a process.
    ///
    /// - Parameter arguments: The flags of `satcheld serve`, for example `["--port", "0", "--data", "/tmp/data"]`.
    /// - Throws: An error that describes a wrong flag, variable or member of the configuration file.
    public init(arguments: [String]) async throws { try await self.init(ServeFlags.parse(arguments)) }

    init(_ flags: ServeFlags) async throws {
        try await self.init(reading: Self.reader(flags.values, file: flags.data.configurationFile))
    }

    private init(reading reader: ConfigReader) throws {
        try Self.checkRemoved()
        host = try reader.requiredString(forKey: Setting.host.key)
        port = try Self.port(reader)
        tls = try Self.tls(reader)
        let socket = try reader.requiredString(forKey: Setting.socket.key)
        if !socket.isEmpty, tls != nil { throw Self.socketWithTLS }
        listening =
            socket.isEmpty
            ? .port(port, host: host) : .unixSocket(path: socket, mode: try Self.mode(reader))
        let isOfMachine = !socket.isEmpty || IPAddress.isLoopback(host: host)
        isExposed = !isOfMachine && tls == nil
        let acceptsInsecureHTTP = try Self.flag(reader, .insecureHTTP)
        // Before `exposed`: to accept plain HTTP would not help a misspelt name.
        if !isOfMachine, !Self.isKnown(host) { throw Self.unknown(host) }
        if isExposed, !acceptsInsecureHTTP { throw Self.exposed(host) }
        data = try Self.data(reader)
        store = try Self.store(reader)
        logLevel = try Self.one(of: Logger.Level.self, .logLevel, reader)
        logFormat = try Self.one(of: LogFormat.self, .logFormat, reader)
        metrics = try Self.metrics(reader)
        if let metrics, metrics.overlaps(listening) {
            throw SettingsError(
                "metricsAddress is \(metrics.text), where the server itself listens; choose another port")
        }
        let proxies = Set(try reader.requiredStringArray(forKey: Setting.trustedProxies.key).map(Self.proxy))
        // A proxy makes the server reachable from elsewhere.
        let chosen = try Self.registration(reader)
        var server = ServerConfiguration(
            name: "satcheld", registration: chosen ?? (isOfMachine && proxies.isEmpty ? .open : .invite),
            trustedProxies: proxies,
            passwordCost: .argon2id(
                mebibytes: try Self.number(reader, .passwordMemory, in: PasswordCost.mebibytes, of: "MiB")),
            passwordWords: ["satchel", "satcheld"],
            retention: RetentionRules(
                tombstones: Int64(try Self.number(reader, .tombstoneRetention, in: 1...36_500, of: "days"))
                    * 86_400_000,
                revisions: try Self.number(reader, .revisions, in: 0...1_000, of: "states of each record")),
            connections: try Self.connections(reader), quota: try Self.quota(reader))
        // The owner's own choice applies to everyone.
        server.invitesBehindUnknownProxy = chosen == nil
        self.server = server
    }

    private static func quota(_ reader: ConfigReader) throws -> QuotaRules {
        QuotaRules(
            records: try limit(reader, .quotaRecords), bytes: try limit(reader, .quotaBytes),
            devices: try limit(reader, .quotaDevices), streams: try limit(reader, .quotaStreams))
    }

    /// Returns a limit of accounts: at least 1, or `QuotaRules.unlimited`.
    private static func limit(_ reader: ConfigReader, _ setting: Setting) throws -> Int64 {
        let value =
            // A number in the file can't be read as a string, which is no error.
            (try? reader.requiredString(forKey: setting.key)).flatMap { QuotaValue(argument: $0)?.limit }
            ?? (try? reader.requiredInt(forKey: setting.key)).map { Int64($0) }
        guard let value, value >= 1 else { throw wrong(setting, reader, QuotaValue.words) }
        return value
    }

    /// Returns the rule for creating accounts; nil: it depends on the address and the proxies.
    private static func registration(_ reader: ConfigReader) throws -> Capabilities.Registration? {
        if try reader.requiredString(forKey: Setting.registration.key) == Setting.automatic { return nil }
        return try one(of: Capabilities.Registration.self, .registration, reader, others: [Setting.automatic])
    }

    private static func tls(_ reader: ConfigReader) throws -> (certificate: String, key: String)? {
        let certificate = try reader.requiredString(forKey: Setting.tlsCertificate.key)
        let key = try reader.requiredString(forKey: Setting.tlsKey.key)
        guard certificate.isEmpty == key.isEmpty else {
            throw SettingsError(
                "TLS needs a certificate and its key: name both files, with --tls-certificate and --tls-key")
        }
        return certificate.isEmpty ? nil : (certificate, key)
    }

    private static let socketWithTLS = SettingsError(
        "a socket is used by processes of this machine alone, without TLS: omit --socket to listen on a port with TLS, "
            + "or --tls-certificate and --tls-key")

    private static func mode(_ reader: ConfigReader) throws -> UInt32 {
        let text =
            // A number in the file can't be read as a string: it is read as its digits, which are octal.
            (try? reader.requiredString(forKey: Setting.socketMode.key))
            ?? (try? reader.requiredInt(forKey: Setting.socketMode.key)).map(String.init)
        guard let mode = text.flatMap({ UInt32($0, radix: 8) }), mode <= 0o777, mode & 0o600 == 0o600 else {
            throw wrong(.socketMode, reader, "the mode of a file in octal, such as 660, with its owner's access (600)")
        }
        return mode
    }

    private static func connections(_ reader: ConfigReader) throws -> ConnectionLimits {
        let range = ConnectionLimits.least...1_000_000
        let total =
            // A number in the file can't be read as a string, which is no error: it is read as a number below.
            (try? reader.requiredString(forKey: Setting.maxConnections.key)) == Setting.automatic
            ? nil : try number(reader, .maxConnections, in: range, of: "connections")
        return ConnectionLimits(
            total: total,
            perAddress: try number(reader, .maxConnectionsPerAddress, in: 1...range.upperBound, of: "connections"))
    }

    private static func metrics(_ reader: ConfigReader) throws -> MetricsAddress? {
        let text = try? reader.requiredString(forKey: Setting.metricsAddress.key)
        if text == Setting.off { return nil }
        guard let address = text.flatMap(MetricsAddress.init) else {
            throw wrong(.metricsAddress, reader, "an IP address and a port, such as 127.0.0.1:9280, or \(Setting.off)")
        }
        return address
    }

    /// Returns the data directory alone, for commands that need no other setting.
    static func data(_ flags: DataFlags) async throws -> URL {
        try data(await reader(flags.values, file: flags.configurationFile))
    }

    /// Returns the setting of the store alone, for commands that need no other setting.
    static func store(_ flags: DataFlags) async throws -> StoreSetting {
        let setting = try store(await reader(flags.values, file: flags.configurationFile))
        // From a variable or the configuration file, it isn't an error of the command line.
        guard flags.store != nil else { return setting }
        do { _ = try setting.kind() } catch { throw CommandLineError("\(error)") }
        return setting
    }

    private static func store(_ reader: ConfigReader) throws -> StoreSetting {
        StoreSetting(
            address: try reader.requiredString(forKey: Setting.store.key), data: try data(reader),
            connections: try number(reader, .storeConnections, in: 2...512, of: "connections"))
    }

    /// Returns the limits of accounts alone, as far as no flag of `serve` sets them.
    static func quota(_ flags: DataFlags) async throws -> QuotaRules {
        try quota(await reader(flags.values, file: flags.configurationFile))
    }

    private static func data(_ reader: ConfigReader) throws -> URL {
        let path = try reader.requiredString(forKey: Setting.data.key)
        // An empty path would be the working directory.
        guard !path.isEmpty else {
            throw SettingsError("the data directory is empty: name one with --data, or unset SATCHELD_DATA")
        }
        return URL(filePath: path, directoryHint: .isDirectory)
    }

    /// The host in the form of an address's part: IPv6 in brackets.
    var address: String { host.contains(":") ? "[\(host)]" : host }

    /// Returns the address for clients: `http://127.0.0.1:8280`, `https://…`, or `unix:/run/satcheld/socket`.
    func url(port: Int) -> String {
        switch listening {
        case .port: "\(tls == nil ? "http" : "https")://\(address):\(port)"
        case .unixSocket(let path, _): "unix:\(path)"
        }
    }

    private static func reader(_ flags: [AbsoluteConfigKey: ConfigValue], file: String?) async throws -> ConfigReader {
        ConfigReader(providers: try await providers(flags, file: file))
    }

    private static func providers(
        _ flags: [AbsoluteConfigKey: ConfigValue], file: String?
    ) async throws -> [any ConfigProvider] {
        try await sources(flags, file: file).map(\.provider)
    }

    /// A source of settings.
    private struct Source {
        let kind: ShownSetting.Source
        let provider: any ConfigProvider
    }

    /// Returns all settings with the source of each, for `config show`.
    static func shown(_ flags: ServeFlags) async throws -> ShownSettings {
        let sources = try await sources(flags.values, file: flags.data.configurationFile)
        let checked: Result<ServeSettings, any Error> = Result {
            try ServeSettings(reading: ConfigReader(providers: sources.map(\.provider)))
        }
        // The caller reports a wrong setting, after it has shown all of them.
        let rule = try? checked.get().server.registration
        let all: [ShownSetting] = Setting.allCases.map { setting in
            for source in sources {
                if let text = text(of: setting, in: ConfigReader(provider: source.provider)) {
                    let isAutomaticRule = setting == .registration && text == Setting.automatic
                    return ShownSetting(
                        setting: setting, text: text, source: source.kind,
                        effective: isAutomaticRule ? rule?.rawValue : nil)
                }
            }
            return ShownSetting(setting: setting, text: "", source: .defaults)
        }
        return ShownSettings(all: all, checked: checked)
    }

    /// Returns the value of a setting as text; nil if the source has none.
    private static func text(of setting: Setting, in reader: ConfigReader) -> String? {
        // Of a source with a value of another type, the next one is tried.
        if let list = try? reader.requiredStringArray(forKey: setting.key), setting.isList {
            return list.isEmpty ? "none" : list.joined(separator: ",")
        }
        return (try? reader.requiredString(forKey: setting.key))
            ?? (try? reader.requiredInt(forKey: setting.key)).map { "\($0)" }
            ?? (try? reader.requiredBool(forKey: setting.key)).map { "\($0)" }
    }

    /// Returns the sources, the first of which has precedence.
    private static func sources(
        _ flags: [AbsoluteConfigKey: ConfigValue], file: String?
    ) async throws -> [Source] {
        var sources = [
            Source(kind: .flag, provider: InMemoryProvider(name: "flags", values: flags)),
            Source(kind: .environment, provider: EnvironmentVariablesProvider().prefixKeys(with: "satcheld")),
        ]
        if let file {
            try checkMembers(of: file)
            let place = InMemoryProvider(values: ["filePath": ConfigValue(.string(file), isSecret: false)])
            do {
                let provider = try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: place))
                sources.append(Source(kind: .file(file), provider: provider))
            } catch {
                throw SettingsError("the configuration file \(file) can't be read: \(error)")
            }
        }
        sources.append(Source(kind: .defaults, provider: InMemoryProvider(name: "defaults", values: defaults)))
        return sources
    }

    /// Checks the names of the members. Otherwise a misspelt one would be ignored without an error.
    private static func checkMembers(of file: String) throws {
        let json: JSONValue
        do { json = try JSONValue(parsing: try contents(of: file)) } catch let error as JSONError {
            throw SettingsError("the configuration file \(file) is not JSON: \(error)")
        }
        guard let members = json.object else {
            throw SettingsError("the configuration file \(file) should be a JSON object")
        }
        let known = Setting.allCases.map(\.rawValue).sorted()
        for name in members.sortedNames where !known.contains(name) {
            if name == "invites" { throw invitesRemoved("the member invites of the configuration file \(file)") }
            let hint = Suggestion.nearest(name, among: known).map { "did you mean \($0)?" }
            throw SettingsError(
                "the configuration file \(file) has a member \(name), which is unknown; "
                    + (hint ?? "known members: \(known.joined(separator: ", "))"))
        }
    }

    /// Refuses the settings of invitations of earlier versions: if they were ignored, no one could register.
    private static func checkRemoved() throws {
        if ProcessInfo.processInfo.environment["SATCHELD_INVITES"] != nil { throw invitesRemoved("SATCHELD_INVITES") }
    }

    private static func invitesRemoved(_ name: String) -> SettingsError {
        SettingsError(
            "\(name) is no longer a setting: remove it, and make invitations with satcheld invite add, also while the server "
                + "runs")
    }

    private static func contents(of file: String) throws -> [UInt8] {
        guard access(file, R_OK) == 0 else {
            throw SettingsError("the configuration file \(file) can't be read: \(SystemError.last)")
        }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw SettingsError("the configuration file \(file) can't be read: it is not a text file")
        }
        // Some editors write a byte order mark, which isn't JSON.
        return Array(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
    }

    private static var defaults: [AbsoluteConfigKey: ConfigValue] {
        Dictionary(
            uniqueKeysWithValues: Setting.allCases.map {
                (AbsoluteConfigKey($0.key), ConfigValue($0.defaultValue, isSecret: false))
            })
    }

    private static func port(_ reader: ConfigReader) throws -> Int {
        // The library's error doesn't name the allowed values; `wrong` does.
        guard let port = try? reader.requiredInt(forKey: Setting.port.key), (0...65_535).contains(port) else {
            throw wrong(.port, reader, "a number from 0 (a free one) to 65535")
        }
        return port
    }

    private static func flag(_ reader: ConfigReader, _ setting: Setting) throws -> Bool {
        // The library's error doesn't name the allowed values; `wrong` does.
        guard let flag = try? reader.requiredBool(forKey: setting.key) else {
            throw wrong(setting, reader, "true or false")
        }
        return flag
    }

    /// Returns the error for a wrong value. It shows the value if that is a text or a number.
    private static func wrong(_ setting: Setting, _ reader: ConfigReader, _ expected: String) -> SettingsError {
        let value =
            // A value that is neither a text nor a number is omitted from the message.
            (try? reader.requiredString(forKey: setting.key))
            ?? (try? reader.requiredInt(forKey: setting.key)).map(String.init)
        return SettingsError(
            value.map { "\(setting.rawValue) is \($0); it should be \(expected)" }
                ?? "\(setting.rawValue) should be \(expected)")
    }

    /// Returns whether the host is an address, or a name that has one.
    private static func isKnown(_ host: String) -> Bool {
        var addresses: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, nil, &addresses) == 0 else { return false }
        freeaddrinfo(addresses)
        return true
    }

    private static func unknown(_ host: String) -> SettingsError {
        SettingsError(
            "the host \(host) can't be resolved: it is neither an IP address nor a known name. Name an address of this "
                + "machine with --host, such as 127.0.0.1 behind a TLS proxy")
    }

    private static func exposed(_ host: String) -> SettingsError {
        SettingsError(
            "\(host) can be reached from other machines, and the server speaks plain HTTP: others could read passwords and records "
                + "on the network. Name a certificate with --tls-certificate and --tls-key, listen on 127.0.0.1 behind a TLS "
                + "proxy (the README's \"A server\" shows one), or accept plain HTTP with --insecure-http")
    }

    private static func number(
        _ reader: ConfigReader, _ setting: Setting, in range: ClosedRange<Int>, of what: String
    ) throws -> Int {
        // The library's error doesn't name the allowed values; `wrong` does.
        guard let number = try? reader.requiredInt(forKey: setting.key), range.contains(number) else {
            throw wrong(setting, reader, "a number of \(what): \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func proxy(_ text: String) throws -> IPAddress {
        guard let address = IPAddress(text) else {
            throw SettingsError("trustedProxies has \(text); it should be an IP address such as 127.0.0.1")
        }
        return address
    }

    private static func one<Value: RawRepresentable & CaseIterable>(
        of type: Value.Type, _ setting: Setting, _ reader: ConfigReader, others: [String] = []
    ) throws -> Value where Value.RawValue == String {
        let text = try reader.requiredString(forKey: setting.key)
        guard let value = Value(rawValue: text) else {
            let known = (Value.allCases.map(\.rawValue) + others).joined(separator: ", ")
            throw SettingsError("\(setting.rawValue) is \(text); it should be one of: \(known)")
        }
        return value
    }
}
