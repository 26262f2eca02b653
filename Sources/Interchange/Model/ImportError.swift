internal import Foundation
internal import Records

/// The reasons why nothing was imported.
public struct ImportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// All problems, in the order of the file.
    public let problems: [Problem]

    /// A problem, with its place.
    public struct Problem: Equatable, Sendable, CustomStringConvertible {
        /// The place of the problem.
        public let place: Place
        /// The reason why it can't be imported, as a clause.
        public let reason: String
        /// Whether the end of the file is missing.
        var isEndMissing = false

        /// The problem as a phrase.
        public var description: String { [place.description, reason].filter { !$0.isEmpty }.joined(separator: ": ") }
    }

    /// A place in an imported text; all numbers are counted from 1. New cases may be added.
    public enum Place: Equatable, Sendable, CustomStringConvertible {
        /// The whole text.
        case whole
        /// An entry of a list.
        case entry(Int)
        /// A line, and the character in it if that is known.
        case line(Int, column: Int? = nil)
        /// A file of a folder, and the line in it if that is known.
        case file(String, line: Int? = nil)

        /// The place as a phrase; empty for the whole text.
        public var description: String {
            switch self {
            case .whole: ""
            case .entry(let number): "entry \(number)"
            case .line(let line, let column): "line \(line)" + (column.map { ", column \($0)" } ?? "")
            case .file(let name, let line): "“\(name)”" + (line.map { ", line \($0)" } ?? "")
            }
        }
    }

    private static let shown = 20

    /// The message for the user: the first problems, and what to do.
    public var description: String {
        let rest = problems.count - Self.shown
        let lines = problems.prefix(Self.shown).map { "  \($0)" } + (rest > 0 ? ["  and \(rest) more"] : [])
        return "Nothing was imported:\n" + lines.joined(separator: "\n") + (advice.map { "\n" + $0 } ?? "")
    }

    /// What to do; nil: the problem of a whole file says it.
    private var advice: String? {
        if problems.contains(where: \.isEndMissing) {
            return "The file isn't complete: its end is missing. Import a complete copy."
        }
        return problems.allSatisfy { $0.place == .whole } ? nil : "Fix or remove these, then import again."
    }
}

extension ImportError {
    /// Creates the error of a problem of the file as a whole.
    init(file reason: String) { self.init(problems: [Problem(place: .whole, reason: reason)]) }

    /// Creates the error of one problem.
    init(at place: Place, _ reason: String) { self.init(problems: [Problem(place: place, reason: reason)]) }

    /// Creates the error of a text that isn't JSON.
    ///
    /// - Parameter what: The text, for the reason: `the file`.
    init(_ error: JSONError, in bytes: some BidirectionalCollection<UInt8>, _ what: String) {
        let problem = Problem(
            place: .line(of: error.offset, in: bytes), reason: "\(what) isn't valid JSON: \(error.reason)",
            isEndMissing: error.isEndMissing(in: bytes))
        self.init(problems: [problem])
    }
}

extension JSONError {
    /// Whether the text, apart from white space at its end, ended before its value did.
    func isEndMissing(in bytes: some BidirectionalCollection<UInt8>) -> Bool {
        let last = bytes.lastIndex { !$0.isJSONSpace }
        return offset >= (last.map { bytes.distance(from: bytes.startIndex, to: $0) + 1 } ?? 0)
    }
}

extension ImportError.Place {
    /// Returns the line and column of a byte in a text of UTF-8; columns are counted in Unicode scalars.
    static func line(of offset: Int, in bytes: some BidirectionalCollection<UInt8>) -> ImportError.Place {
        let before = bytes.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { before.index(after: $0) } ?? before.startIndex
        let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
        return .line(1 + before.count { $0 == UInt8(ascii: "\n") }, column: column)
    }
}

/// Checks the records of a file and collects them and all errors, so that all errors are reported together.
struct ImportCollector {
    let format: ExchangeFormat
    private let types: RecordTypes
    private let describe: (InvalidField) -> String
    private var records: [ImportedRecord] = []
    private var problems: [ImportError.Problem] = []
    private var places = PlacesOfIDs()

    /// Creates an empty collector.
    ///
    /// - Parameter describe: The reason for the user if a field is beyond its limit.
    init(
        _ format: ExchangeFormat, types: RecordTypes,
        describing describe: @escaping (InvalidField) -> String = { $0.description }
    ) {
        (self.format, self.types, self.describe) = (format, types, describe)
    }

    /// Checks a record and keeps it.
    mutating func add(_ record: ImportedRecord, at place: ImportError.Place) {
        if check(record, at: place) { records.append(record) }
    }

    /// Checks a record without keeping it.
    ///
    /// - Returns: Whether it is accepted.
    @discardableResult
    mutating func check(_ record: ImportedRecord, at place: ImportError.Place) -> Bool {
        if let excess = excess(of: record) {
            refuse(at: place, describe(excess))
        } else if let first = places.update(place, of: record.key) {
            let way =
                if case .file = place { "remove the older file, or its id" } else { "give one another id, or none" }
            refuse(at: place, "it has the same id (\(record.key.id)) as \(first); \(way)")
        } else if record.isTooLarge(for: format) {
            refuse(at: place, "it is larger than 1 MiB")
        } else {
            return true
        }
        return false
    }

    /// Returns the limit that a record exceeds. Satchel's own format restores everything that was once accepted.
    private func excess(of record: ImportedRecord) -> InvalidField? {
        if format == .satchel { return nil }
        do throws(InvalidField) {
            try FieldLimits.check(record.fields, types.catalog(for: record.key.collection))
        } catch { return error }
        return nil
    }

    mutating func refuse(at place: ImportError.Place, _ reason: String) {
        problems.append(.init(place: place, reason: reason))
    }

    /// Ends the check.
    ///
    /// - Throws: `ImportError` with all problems, if there are any.
    func finish() throws(ImportError) {
        if !problems.isEmpty { throw ImportError(problems: problems) }
    }

    /// Returns all records.
    ///
    /// - Throws: As `finish`.
    func collected() throws(ImportError) -> ImportedRecords {
        try finish()
        return ImportedRecords(records)
    }
}

/// The places of the records in a file, by their keys.
///
/// A file may have several hundred thousand entries, most of them with UUIDs. As a text, an id takes 100 bytes.
private struct PlacesOfIDs {
    /// The numbers of entries whose id is a UUID, by their collections.
    private var entries: [String: [UUID: Int]] = [:]
    private var others: [RecordKey: ImportError.Place] = [:]

    /// Stores the place of a record, and returns that of an earlier record with the same key.
    mutating func update(_ place: ImportError.Place, of key: RecordKey) -> ImportError.Place? {
        guard case .entry(let number) = place, let id = Self.uuid(key.id) else {
            return others.updateValue(place, forKey: key)
        }
        let former = entries[key.collection, default: [:]].updateValue(number, forKey: id)
        return former.map { ImportError.Place.entry($0) }
    }

    /// Returns the UUID that an id is; nil for other ids, and for a UUID in capitals, which is another id.
    private static func uuid(_ id: String) -> UUID? {
        guard UUIDText.isValid(id), !id.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return nil }
        return UUID(uuidString: id)
    }
}
