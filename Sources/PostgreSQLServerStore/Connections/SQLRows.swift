internal import CPostgreSQL

/// The rows of a query, in the binary format.
final class SQLRows {
    private let result: OpaquePointer
    /// Number of rows.
    let count: Int

    /// - Parameter result: A result of libpq, which is released with this object.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(cpq_row_count(result))
    }

    deinit { cpq_clear(result) }

    /// Number of rows that a statement without a result has changed.
    var changes: Int { cpq_change_count(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The statement's name in the server's answer, such as `COMMIT`.
    var command: String { cpq_command(result).map { String(cString: $0) } ?? "" }

    /// The first row; nil if there is none.
    var first: SQLRow? { count > 0 ? self[0] : nil }

    subscript(index: Int) -> SQLRow { SQLRow(rows: self, index: Int32(clamping: index)) }

    func map<Value>(_ make: (SQLRow) throws -> Value) rethrows -> [Value] { try (0..<count).map { try make(self[$0]) } }

    fileprivate func value(_ row: Int32, _ column: Int) -> UnsafeBufferPointer<UInt8>? {
        let column = Int32(clamping: column)
        guard cpq_is_null(result, row, column) == 0, let start = cpq_value(result, row, column) else { return nil }
        let length = Int(cpq_length(result, row, column))
        return UnsafeRawBufferPointer(start: start, count: length).assumingMemoryBound(to: UInt8.self)
    }
}

/// A row of a result. A null is nil, or the type's empty value where the column can't be null.
struct SQLRow {
    fileprivate let rows: SQLRows
    fileprivate let index: Int32
    /// The place of the first column in the result.
    fileprivate var start = 0

    /// Returns the row without its first columns.
    func dropFirst(_ count: Int) -> SQLRow { SQLRow(rows: rows, index: index, start: start + count) }

    private func value(_ column: Int) -> UnsafeBufferPointer<UInt8>? { rows.value(index, start + column) }

    func isNull(_ column: Int) -> Bool { value(column) == nil }

    func text(_ column: Int) -> String { optionalText(column) ?? "" }

    func optionalText(_ column: Int) -> String? {
        value(column).map { String(decoding: $0, as: UTF8.self) }
    }

    func int(_ column: Int) -> Int64 { optionalInt(column) ?? 0 }

    /// A number of 4 or 8 bytes.
    func optionalInt(_ column: Int) -> Int64? {
        value(column).map { bytes in
            let bits = bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return bytes.count == 4 ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bitPattern: bits)
        }
    }

    func bool(_ column: Int) -> Bool { value(column)?.first == 1 }

    func bytes(_ column: Int) -> [UInt8] { value(column).map { Array($0) } ?? [] }
}
