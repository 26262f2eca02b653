internal import Foundation

/// The places of records in the list without a filter, in a form that a database can store, sort and count: a record's
/// place changes only with the record.
package struct ListPlaces: Sendable {
    /// The place of a record.
    package struct Place: Sendable, Equatable {
        /// A key whose order, byte by byte, is that of the list; nil: the list never contains the record.
        package let key: [UInt8]?
        /// The time until which the record is hidden, in seconds since 1970; nil: it has no such time.
        package let hiddenUntil: Int64?
        /// Where the record refers to others.
        package let links: Links

        package init(key: [UInt8]?, hiddenUntil: Int64?, links: Links) {
            (self.key, self.hiddenUntil, self.links) = (key, hiddenUntil, links)
        }
    }

    /// Where a record refers to others, as a number that a database can store.
    package struct Links: OptionSet, Sendable {
        package let rawValue: Int64

        package init(rawValue: Int64) { self.rawValue = rawValue }

        /// In fields, such as those of its parent and of what it depends on.
        package static let fields = Links(rawValue: 1)
        /// In links of its text.
        package static let text = Links(rawValue: 2)
    }

    /// Identifies the rules: it changes with the types or the time zone, and the places must then be computed again. It is
    /// the name of the time zone, a space, and the signature of the types.
    package let signature: String
    /// The time of the list, in seconds since 1970. Records hidden until this time or earlier are shown.
    package let now: Int64
    private let query: Query
    private let types: RecordTypes
    private let linkFields: [String]
    private var starts: DayStarts

    /// The version of the keys. Increase it when places are computed differently.
    private static let version = 2

    /// Creates the rules of the places.
    ///
    /// - Parameter dates: The time of the list, and the calendar whose days are sorted among times.
    package init(_ types: RecordTypes, dates: DateExpression.Context) {
        // With a time in the distant future, no record counts as hidden: that depends on the time of the list and isn't
        // part of a place.
        let parser = QueryParser(dates: .init(now: .distantFuture, calendar: dates.calendar), types: types)
        query = Query(terms: parser.defaultTypes + parser.defaultStates, order: nil, types: types, dates: dates)
        self.types = types
        linkFields = types.linkFields
        starts = DayStarts(in: dates.calendar)
        now = Timestamp(clamping: dates.now).seconds
        signature = dates.calendar.timeZone.identifier + " " + Self.signature(of: types)
    }

    /// Returns the part of the signature that identifies the types; the signature ends with it.
    package static func signature(of types: RecordTypes) -> String {
        let parts = types.listedTypes.map { type in
            let fields = type.catalog.fields.compactMap { field in
                field.role.map {
                    "\(field.name) \($0) \(field.kind.isDate) \(field.kind.choices?.map(\.value) ?? [])"
                }
            }
            let states = String(describing: type.closing)
            return "\(type.collection) \(type.isDocument) \(states) \(type.body.name) \(fields)"
        }
        return "\(version) \(parts)"
    }

    /// Returns the place of a live record of a listed type.
    package mutating func place(of row: QueryRow) -> Place {
        let isListed = query.matches(row)
        let hiding = types[row.collection].catalog.field(with: .hiddenUntil)
        let hidden = hiding.flatMap { row.fields[$0.name] }.flatMap(DateValue.read)
        return Place(
            key: isListed ? query.order.reduce(into: []) { $1.append(to: &$0, row, &starts) } : nil,
            hiddenUntil: hidden.map { starts.time(of: $0).seconds },
            links: links(of: row))
    }

    private func links(of row: QueryRow) -> Links {
        let text = row.fields[types[row.collection].body.name]?.string ?? ""
        return Links(linkFields.contains { row.fields[$0] != nil } ? [.fields] : [])
            .union(TextLink.all(in: text).isEmpty ? [] : .text)
    }
}

extension SortKey {
    /// Appends the value of a record. The order of the bytes is that of the values; a missing value is last.
    fileprivate func append(to key: inout [UInt8], _ row: QueryRow, _ starts: inout DayStarts) {
        guard let value = value(of: row, in: QueryContext(), &starts) else { return key.append(0xFF) }
        let begin = key.count
        switch value {
        case .number(let number):
            // IEEE 754: the bits of positive numbers are in the order of the numbers, those of negative ones in reverse.
            let bits = (number == 0 ? 0 : number).bitPattern
            let sign: UInt64 = 1 << 63
            key.append(1)
            withUnsafeBytes(of: (bits & sign == 0 ? bits | sign : ~bits).bigEndian) { key.append(contentsOf: $0) }
        case .text(let text):
            key.append(2)
            // Swift compares strings in NFC, and UTF-8 keeps that order. The byte 0 ends the text, so 0 and 1 are escaped
            // as 01 01 and 01 02.
            for byte in text.precomposedStringWithCanonicalMapping.utf8 {
                if byte < 2 { key.append(1) }
                key.append(byte < 2 ? byte + 1 : byte)
            }
            key.append(0)
        }
        if descending {
            for index in begin..<key.count { key[index] = ~key[index] }
        }
    }
}
