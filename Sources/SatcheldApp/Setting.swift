internal import Configuration
internal import Foundation
internal import ServerCore

/// A setting of the server. The raw value is its member in the configuration file. Its flag, its environment variable,
/// the help, the man page and the table of the page Operating derive from this definition.
enum Setting: String, CaseIterable {
    case host, port, socket, socketMode, tlsCertificate, tlsKey
    case insecureHTTP = "insecureHttp"
    case data, store, storeConnections, logLevel, logFormat, metricsAddress, registration, passwordMemory,
        trustedProxies, maxConnections,
        maxConnectionsPerAddress,
        tombstoneRetention
    case revisions, quotaRecords, quotaBytes, quotaDevices, quotaStreams

    /// The value of `maxConnections` for as many connections as the limit of open files allows, and of `registration` for
    /// the rule that depends on the address.
    static let automatic = "automatic"

    /// The value of `metricsAddress` for no address.
    static let off = "off"

    /// The key of the setting in flags, variables and the file.
    var key: ConfigKey { ConfigKey(rawValue) }

    /// The flag, without its dashes.
    var flag: String {
        switch self {
        case .trustedProxies: "trusted-proxy"
        default: words("-") { $0.lowercased() }
        }
    }

    /// The environment variable: the member in capitals, with its words separated by `_`.
    var variable: String { "SATCHELD_" + words("_") { $0.uppercased() } }

    private func words(_ separator: String, _ convert: (Character) -> String) -> String {
        rawValue.reduce(into: "") { $0 += ($1.isUppercase ? separator : "") + convert($1) }
    }

    /// Whether the setting may have several values: the flag is repeated, the variable separates them by commas.
    var isList: Bool { self == .trustedProxies }

    /// The meaning, as a phrase.
    var meaning: String {
        switch self {
        case .host: "Address to listen on"
        case .port: "Port to listen on; 0 chooses a free one"
        case .socket: "Path of a Unix socket to listen on, instead of host and port"
        case .socketMode: "Mode of the socket's file, in octal: who may connect"
        case .tlsCertificate:
            "PEM file of the certificate for TLS, followed by those of the authorities in between; read again on SIGHUP"
        case .tlsKey: "PEM file of the certificate's key"
        case .insecureHTTP:
            "Accept plain HTTP on an address that other machines can reach; otherwise such an address is refused"
        case .data: "Directory for the data"
        case .store:
            "Storage: sqlite, in the data directory, or a PostgreSQL that several servers share, as postgres://USER@HOST/DATABASE; "
                + "a password belongs into the environment variable or a password file (PGPASSFILE), since others see flags"
        case .storeConnections:
            "Number of connections to a PostgreSQL, half of them for writes; one more is for events"
        case .logLevel: "Log level: trace, debug, info, notice, warning, error or critical"
        case .logFormat: "Log format: logfmt or json"
        case .metricsAddress:
            "Address for `GET /metrics` in Prometheus' format, such as 127.0.0.1:9280; it has no password"
        case .registration:
            "Who may create an account: open, invite (with a code of `satcheld invite add`), closed, or automatic, which is open "
                + "on loopback and on a Unix socket for requests that no proxy forwards, and invite otherwise"
        case .passwordMemory:
            "Memory in MiB for hashing one password with argon2id; more memory makes guessing from a stolen database dearer, and "
                + "each log-in slower"
        case .trustedProxies: "Address of a trusted reverse proxy (its X-Forwarded-For is used)"
        case .maxConnections: "Maximum number of open connections; at most half of them may be event streams"
        case .maxConnectionsPerAddress:
            "Maximum number of connections of one address (of IPv6, one /64), event streams not counted; loopback and "
                + "trusted proxies are exempt"
        case .tombstoneRetention:
            "Number of days for which deletions are remembered; a device that was offline for longer reads everything again and "
                + "loses nothing"
        case .revisions: "Number of states kept of each record, the present one included; 1 keeps no earlier ones"
        case .quotaRecords: "Number of records of an account without a limit of its own, or unlimited"
        case .quotaBytes:
            "Bytes that an account without a limit of its own may store (500M, 2G: powers of 1024), or unlimited"
        case .quotaDevices:
            "Number of devices and app passwords of an account without a limit of its own, or unlimited"
        case .quotaStreams: "Number of event streams of an account without a limit of its own, or unlimited"
        }
    }

    /// The value if no flag, variable or member sets one.
    var defaultValue: ConfigContent {
        switch self {
        case .host: .string("127.0.0.1")
        case .port: .int(8_280)
        case .socket, .tlsCertificate, .tlsKey: .string("")
        case .socketMode: .string("660")
        case .insecureHTTP: .bool(false)
        case .data: .string(Self.dataDirectory)
        case .store: .string(StoreSetting.sqlite)
        case .storeConnections: .int(16)
        case .logLevel: .string("info")
        case .logFormat: .string("logfmt")
        case .metricsAddress: .string(Self.off)
        case .registration: .string(Self.automatic)
        case .passwordMemory: .int(PasswordCost.defaultMebibytes)
        case .trustedProxies: .stringArray([])
        case .maxConnections: .string(Self.automatic)
        case .maxConnectionsPerAddress: .int(64)
        case .tombstoneRetention: .int(90)
        case .revisions: .int(20)
        case .quotaRecords: .string("1000000")
        case .quotaBytes: .string("1G")
        case .quotaDevices: .string("100")
        case .quotaStreams: .string("32")
        }
    }

    /// The default in the help; nil if the help shows none (false, an empty list or text).
    private var defaultText: String? {
        switch (self, defaultValue) {
        case (.data, _): "satcheld in $XDG_STATE_HOME, else in ~/.local/state"
        case (.maxConnections, _): "what the limit of open files allows, at most \(ConnectionLimits.mostByDefault)"
        case (_, .string(let text)): text.isEmpty ? nil : text
        case (_, .int(let number)): "\(number)"
        default: nil
        }
    }

    /// The meaning and the default, as a sentence.
    var help: String { meaning + (defaultText.map { " (default: \($0))" } ?? "") + "." }

    /// `satcheld` in the state directory of the XDG Base Directory Specification; `satcheld-data` in the working
    /// directory if neither variable has an absolute path.
    private static var dataDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        // The specification declares relative paths invalid.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/satcheld" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/state/satcheld" }
        return "satcheld-data"
    }
}

// MARK: - The table of the page Operating

extension Setting {
    /// All settings as a table in Markdown.
    static var table: String {
        let head = "| flag | environment | configuration file | meaning |\n| --- | --- | --- | --- |\n"
        return head + allCases.map(\.row).joined()
    }

    private var row: String {
        let (flag, variable) =
            switch self {
            case .insecureHTTP: ("`--\(flag)`", "`\(variable)=true`")
            case _ where isList: ("`--\(flag)`, repeated", "`\(variable)`, separated by commas")
            default: ("`--\(flag)`", "`\(variable)`")
            }
        return "| \(flag) | \(variable) | `\(rawValue)` | \(help) |\n"
    }
}
