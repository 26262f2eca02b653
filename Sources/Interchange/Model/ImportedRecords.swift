/// The records of a file that was checked as a whole.
///
/// Parsed records need many times the memory of their text. So a format can parse each record when it is read here.
package struct ImportedRecords: Sendable {
    /// The number of records.
    package let count: Int
    private let parse: @Sendable (_ index: Int) throws(ImportError) -> ImportedRecord

    /// Creates a value for a format that parses each record when it is read.
    ///
    /// - Parameter parse: Parses a record; the index is counted from 0.
    init(count: Int, parsing parse: @escaping @Sendable (_ index: Int) throws(ImportError) -> ImportedRecord) {
        self.count = count
        self.parse = parse
    }

    /// Creates a value for a format that parses all records at once.
    init(_ records: [ImportedRecord]) {
        self.init(count: records.count) { (index: Int) throws(ImportError) -> ImportedRecord in records[index] }
    }

    /// Returns a record by its place in the order of the file, counted from 0.
    ///
    /// - Throws: `ImportError` if it can't be parsed, which the check of the file excludes.
    package func record(at index: Int) throws(ImportError) -> ImportedRecord { try parse(index) }

    /// Returns all records.
    ///
    /// - Throws: As ``record(at:)``.
    func all() throws(ImportError) -> [ImportedRecord] {
        var records: [ImportedRecord] = []
        for index in 0..<count { records.append(try parse(index)) }
        return records
    }
}
