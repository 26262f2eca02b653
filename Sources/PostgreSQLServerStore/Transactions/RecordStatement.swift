internal import ServerCore

/// The statements that name records by their keys: `$1` is the space, `$2` and `$3` are the collections and ids.
///
/// Each reads only the rows that it names, whatever PostgreSQL knows of the table: it has no statistics of a table that was
/// filled a moment ago, and a connection keeps its first plans. So a subquery with LIMIT or OFFSET, which isn't joined in
/// another way, looks up each key, and only the primary key has its columns (see `PostgreSQLSchema.changesOfCollection`). A test
/// checks the plans.
enum RecordStatement: CaseIterable {
    case version, versions, records, announced, keep, trim, remove

    static let columns = "collection, id, version, deleted, modified_at, modified_by, fields, clock"

    /// Number of bytes of announced records that are read together with their versions.
    static let announcedBytes = 1 << 20

    private static let wanted = "unnest($2::text[], $3::text[]) AS wanted (collection, id)"
    private static let isWanted = "space = $1 AND collection = wanted.collection AND id = wanted.id"

    /// The rows of the wanted records.
    private static func found(_ columns: String) -> String {
        "\(wanted) CROSS JOIN LATERAL (SELECT \(columns) FROM records WHERE \(isWanted) LIMIT 1) AS found"
    }

    /// The columns of a space and of an account's role there.
    static let membership = "spaces.number, members.role, \(SpaceRow.columns)"
    static let memberOfSpace =
        "spaces LEFT JOIN members ON members.account = $2 AND members.space = spaces.number"

    /// A space with an account's role there, and a record: `$1` is the space's id, `$2` is the account's, `$3` and `$4` are the
    /// record's collection and id.
    static let withRole = """
        SELECT \(membership), found.* FROM \(memberOfSpace)
          LEFT JOIN LATERAL (SELECT \(columns) FROM records
            WHERE space = spaces.number AND collection = $3 AND id = $4 LIMIT 1) AS found ON true
        WHERE spaces.id = $1
        """

    var sql: String {
        switch self {
        case .version: "SELECT version FROM records WHERE space = $1 AND collection = $2 AND id = $3"
        case .versions: "SELECT found.* FROM \(Self.found("collection, id, version"))"
        case .records: "SELECT found.* FROM \(Self.found(Self.columns))"
        // The sizes of large values are known without reading them.
        case .announced:
            """
            SELECT collection, id, version, deleted, modified_at, modified_by,
              CASE WHEN bytes <= \(Self.announcedBytes) THEN fields END,
              CASE WHEN bytes <= \(Self.announcedBytes) THEN clock END
            FROM (SELECT found.*, sum(octet_length(fields) + octet_length(clock)) OVER (
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes FROM \(Self.found(Self.columns))) AS measured
            """
        // The present states become revisions.
        case .keep:
            """
            INSERT INTO revisions (space, \(Self.columns)) SELECT $1::bigint, found.* FROM \(Self.found(Self.columns))
            """
        // All but the newest `$4` revisions of each record.
        case .trim:
            """
            DELETE FROM revisions WHERE ctid = ANY (ARRAY(
              SELECT old.ctid FROM \(Self.wanted) CROSS JOIN LATERAL (
                SELECT ctid FROM revisions WHERE \(Self.isWanted) ORDER BY version DESC OFFSET $4) AS old))
            """
        // Tombstones of the versions `$4` with their revisions. A record that was revived since keeps its revisions.
        case .remove:
            """
            WITH removed AS (
              DELETE FROM records WHERE ctid = ANY (ARRAY(
                SELECT found.ctid FROM unnest($2::text[], $3::text[], $4::bigint[]) AS wanted (collection, id, version)
                CROSS JOIN LATERAL (
                  SELECT ctid FROM records WHERE \(Self.isWanted) AND version = wanted.version AND deleted LIMIT 1) AS found))
              RETURNING collection, id)
            DELETE FROM revisions WHERE ctid = ANY (ARRAY(
              SELECT old.ctid FROM removed AS wanted CROSS JOIN LATERAL (
                SELECT ctid FROM revisions WHERE \(Self.isWanted) OFFSET 0) AS old))
            """
        }
    }
}
