/// The metrics of a server. The raw value is the name without the program's prefix. The help in the exported text and
/// the table of the page Operating derive from this definition.
package enum ServerMetric: String, Sendable, CaseIterable {
    case requests = "requests_total"
    case requestDuration = "request_duration_seconds"
    case securityEvents = "security_events_total"
    case connections
    case eventStreams = "event_streams"
    case heldBytes = "request_held_bytes"
    case lostLogLines = "log_lost_lines_total"
    case readDuration = "store_read_duration_seconds"
    case lookUpDuration = "store_lookup_duration_seconds"
    case writeDuration = "store_write_duration_seconds"
    case commitDuration = "store_commit_duration_seconds"
    case commitTransactions = "store_commit_transactions"
    case storeUp = "store_up"
    case databaseBytes = "store_database_bytes"
    case logBytes = "store_wal_bytes"
    case accounts = "store_accounts"
    case records = "store_records"
    case usedBytes = "store_used_bytes"
    case largestBytes = "store_largest_space_bytes"
    case quotaAccounts = "quota_accounts"
    case quotaExceeded = "quota_exceeded_accounts"
    case quotaRefusals = "quota_refusals_total"

    /// The kind of a metric, as Prometheus names it.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package var kind: Kind {
        switch self {
        case .requests, .securityEvents, .lostLogLines, .quotaRefusals: .counter
        case .requestDuration, .readDuration, .lookUpDuration, .writeDuration, .commitDuration, .commitTransactions:
            .histogram
        case .connections, .eventStreams, .heldBytes, .storeUp, .databaseBytes, .logBytes, .accounts,
            .records, .usedBytes, .largestBytes, .quotaAccounts, .quotaExceeded:
            .gauge
        }
    }

    /// The names of the labels.
    package var labels: [String] {
        switch self {
        case .requests: ["method", "route", "status"]
        case .requestDuration: ["method", "route"]
        case .securityEvents: ["event"]
        case .quotaAccounts, .quotaRefusals: ["quota"]
        case .connections, .eventStreams, .heldBytes, .lostLogLines, .readDuration, .lookUpDuration, .writeDuration,
            .commitDuration, .commitTransactions, .storeUp, .databaseBytes, .logBytes, .accounts, .records, .usedBytes,
            .largestBytes, .quotaExceeded:
            []
        }
    }

    /// The meaning, as a phrase.
    package var help: String {
        switch self {
        case .requests: "Answered requests; the route is a pattern, `unknown` if no endpoint has the path"
        case .requestDuration: "Time from a request's head to its answer, without sending the answer"
        case .securityEvents:
            "Security events, as in the audit log; refused log-ins are login-refused and login-limited"
        case .connections: "Open connections"
        case .eventStreams: "Open event streams"
        case .heldBytes: "Bytes of large bodies and answers of requests under way"
        case .lostLogLines: "Lines of the log that could not be written since the start, for example on a full disk"
        case .readDuration: "Time of a read transaction, including the wait for a reader"
        case .lookUpDuration: "Time of a read of a few rows by their keys"
        case .writeDuration: "Time of a write transaction until it is durable, including the wait for the writer"
        case .commitDuration: "Time of a group commit; SQLite only"
        case .commitTransactions: "Write transactions in a group commit; SQLite only"
        case .storeUp: "Whether the storage answered when these metrics were read: 1 or 0"
        case .databaseBytes: "Size of the database file"
        case .logBytes: "Size of the database's write-ahead log; SQLite only"
        case .accounts: "Accounts"
        case .records: "Records, without deleted ones"
        case .usedBytes:
            """
            Bytes of fields and clocks in all spaces: of records, deletions and earlier states; quotas also count the \
            outcomes of requests
            """
        case .largestBytes: "The same bytes of the largest space"
        case .quotaAccounts: "Accounts that use at least nine tenths of a limit: records, bytes or devices"
        case .quotaExceeded: "Accounts that use more than a limit, and can only delete"
        case .quotaRefusals: "Requests refused with quota-exceeded, by the limit: records, bytes, devices or streams"
        }
    }

    /// The upper bounds of the buckets of a histogram.
    package var bounds: [Double] {
        self == .commitTransactions
            ? [1, 2, 4, 8, 16, 32, 64, 128, 256]
            : [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    }

    /// All metrics as a table in Markdown.
    ///
    /// - Parameter prefix: The program's name.
    package static func table(prefix: String) -> String {
        allCases.reduce(into: "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n") { table, metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            table += "| `\(prefix)_\(metric.rawValue)` | \(metric.kind.rawValue) | \(labels) | \(metric.help). |\n"
        }
    }
}
