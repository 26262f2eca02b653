extension ServeSettings {
    /// A setting that may come from elsewhere than a flag.
    struct Variable {
        /// The member of the configuration file.
        let member: String
        /// What it means.
        let meaning: String

        /// The environment variable: the member in capitals, word by word.
        var name: String {
            member.reduce(into: "SATCHELD_") { name, letter in
                name += (letter.isUppercase ? "_" : "") + letter.uppercased()
            }
        }
    }

    /// The settings, for help.
    static let variables = [
        Variable(member: "host", meaning: "Address to listen on (default: 127.0.0.1)."),
        Variable(member: "port", meaning: "Port to listen on; 0 chooses a free one (default: 8280)."),
        Variable(
            member: "insecureHttp",
            meaning: "true: listen on an address that other machines can reach, without encryption (default: false)."),
        Variable(member: "data", meaning: "Directory for the data."),
        Variable(
            member: "logLevel",
            meaning: "Log level: trace, debug, info, notice, warning, error or critical (default: info)."),
        Variable(member: "registration", meaning: "Who may create an account: open, invite or closed (default: open)."),
        Variable(member: "invites", meaning: "Invitation codes for `register`, separated by commas."),
        Variable(
            member: "trustedProxies", meaning: "Addresses of trusted reverse proxies, separated by commas."),
        Variable(
            member: "maxConnections",
            meaning: "Maximum number of open connections (default: what the limit of open files allows)."
        ),
        Variable(
            member: "maxConnectionsPerAddress",
            meaning: "Maximum number of connections of one address, event streams not counted (default: 64)."),
        Variable(
            member: "tombstoneRetention", meaning: "Number of days for which deletions are remembered (default: 90)."),
        Variable(
            member: "revisions", meaning: "Number of earlier states kept of each record; 0 for none (default: 20)."),
    ]
}
