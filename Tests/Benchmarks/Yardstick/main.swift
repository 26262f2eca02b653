import Foundation
import GRDB

// The lower bound of `satchel list` and `satchel add`: a minimal process that opens the same file with GRDB in the same
// mode, executes the same queries and writes, without grammar, controllers or layout. With `--version`, that of starting a
// program which links Foundation and GRDB: it ends at once.

/// The queries of a list: open tasks and notes, the most urgent first; 100 of them, and their total number.
struct ListQueries {
    let counting, reading: String
    var arguments = StatementArguments()

    /// Reads and sorts all open records.
    static let scanning = ListQueries(
        counting: "SELECT count(*) " + open, reading: "SELECT collection, id, fields " + open + order)

    /// Reads the index that `satchel list` reads. The index hides some records until a time, so the present time is an
    /// argument.
    static var indexed: ListQueries {
        let shown = "p.space = 1 AND key IS NOT NULL AND (hidden IS NULL OR hidden <= ?)"
        return ListQueries(
            counting: "SELECT count(*) FROM list_places p WHERE \(shown)",
            reading: """
                SELECT r.collection, r.id, r.fields FROM list_places p CROSS JOIN records r ON r.number = p.record
                WHERE \(shown) ORDER BY p.key, p.record
                """,
            arguments: [Int64(Date().timeIntervalSince1970)])
    }

    private static let open = """
        FROM records WHERE space = 1 AND deleted = 0 AND collection IN ('tasks', 'notes')
            AND (collection = 'notes' OR coalesce(fields ->> 'status', 'pending') = 'pending')
        """
    private static let order = """
         ORDER BY fields ->> 'due' IS NULL, lower(fields ->> 'due'),
            instr('HML', coalesce(fields ->> 'priority', 'none')) = 0, instr('HML', fields ->> 'priority'),
            fields ->> 'entry' IS NULL, lower(fields ->> 'entry'), id
        """
}

func list(_ queries: ListQueries, _ queue: DatabaseQueue) throws {
    let (total, rows) = try queue.read { db in
        (
            try Int.fetchOne(db, sql: queries.counting, arguments: queries.arguments) ?? 0,
            try Row.fetchAll(db, sql: queries.reading + " LIMIT 100", arguments: queries.arguments)
        )
    }
    // The numbers of the list are stored, as by `satchel`.
    try queue.write { db in
        let ids = try JSONEncoder().encode(rows.map { [$0["collection"] as String, $0["id"] as String] })
        try db.execute(
            sql: "INSERT OR REPLACE INTO listings (terminal, ids) VALUES ('yardstick', ?)",
            arguments: [String(decoding: ids, as: UTF8.self)])
    }
    var text = ""
    for (index, row) in rows.enumerated() {
        let json = Data((row["fields"] as String).utf8)
        let fields = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
        text += "\(index + 1)\t\(row["id"] as String)\t\(fields["due"] ?? "")\t\(fields["title"] ?? "")\n"
    }
    print(text + "\(rows.count) of \(total) records.")
}

func add(_ title: String, _ queue: DatabaseQueue) throws {
    let milliseconds = String(UInt64(Date().timeIntervalSince1970 * 1_000), radix: 16)
    let clock = String(repeating: "0", count: 12 - milliseconds.count) + milliseconds + "-0000-yardstick"
    let fields = try JSONEncoder().encode(["title": title, "status": "pending", "entry": Date().formatted(.iso8601)])
    try queue.write { db in
        try db.execute(
            sql: """
                INSERT INTO records (space, collection, id, version, deleted, modified_at, modified_by, fields, clock)
                VALUES (1, 'tasks', ?, 0, 0, '', '', ?, ?)
                """,
            arguments: [
                UUID().uuidString.lowercased(), String(decoding: fields, as: UTF8.self), #"{"*":"\#(clock)"}"#,
            ])
        try db.execute(
            sql: "INSERT INTO outbox VALUES (?, ?, 1, NULL, NULL, NULL)", arguments: [db.lastInsertedRowID, clock])
        try db.execute(sql: "INSERT OR REPLACE INTO meta VALUES ('hlc', ?)", arguments: [clock])
    }
    print("Added “\(title)”.")
}

let arguments = CommandLine.arguments
if arguments.count == 2, arguments[1] == "--version" {
    print("0")
    exit(0)
}
guard arguments.count >= 3 else {
    print("usage: Yardstick list|list-indexed FILE | Yardstick add FILE TITLE | Yardstick --version")
    exit(2)
}
var configuration = Configuration()
configuration.journalMode = .wal
configuration.busyMode = .timeout(10)
let queue = try DatabaseQueue(path: arguments[2], configuration: configuration)
try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
if arguments[1] == "add", arguments.count == 4 {
    try add(arguments[3], queue)
} else {
    try list(arguments[1] == "list-indexed" ? .indexed : .scanning, queue)
}
