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
        Variable(member: "host", meaning: "The address to listen on; else 127.0.0.1."),
        Variable(member: "port", meaning: "The port to listen on, 0 for any that is free; else 8280."),
        Variable(
            member: "insecureHttp",
            meaning: "true: listen where other machines can reach it, though plain HTTP can be read on the way."),
        Variable(member: "data", meaning: "The directory for the data."),
        Variable(member: "logLevel", meaning: "trace, debug, info, notice, warning, error or critical; else info."),
        Variable(member: "registration", meaning: "Who may make an account: open, invite or closed; else open."),
        Variable(member: "invites", meaning: "The invitation codes for `register`, separated by commas."),
        Variable(
            member: "trustedProxies", meaning: "The addresses of proxies that are believed who asks them, with commas."),
        Variable(
            member: "maxConnections",
            meaning: "How many connections may be open at once; else what the limit of open files allows."
        ),
        Variable(
            member: "maxConnectionsPerAddress",
            meaning: "How many connections one address may have, event streams not counted; default 64."),
        Variable(member: "tombstoneRetention", meaning: "How many days deletions are remembered; else 90."),
        Variable(member: "revisions", meaning: "How many states of each record are kept, 0 for none; else 20."),
    ]
}
