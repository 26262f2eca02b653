extension RecordLinks {
    /// Determines the links between records.
    ///
    /// - Parameters:
    ///   - rows: All records that may refer to each other.
    ///   - types: The record types, which declare the fields with references.
    public init(_ rows: [QueryRow], types: RecordTypes) { self.init(rows, types.linkRules) }
}

extension Urgency {
    /// Creates the urgency at a time, for records of these types. Only records that can be completed have one. A day
    /// counts as the time at which it starts in the calendar.
    public init(_ types: RecordTypes, dates: DateExpression.Context) {
        self.init(types.completableTypes.map { ($0.collection, $0.catalog) }, types.closings, dates: dates)
    }
}

extension RecordTypes {
    /// The names of the fields that refer to other records and from which links are determined.
    package var linkFields: [String] { linkRules.names }

    /// Returns the ids of the records on which open ones of these records depend.
    package func dependencies(of rows: [QueryRow]) -> [String] {
        let ids = rows.flatMap { row in linkRules.dependencies.value(in: row).map { RecordReference.ids(in: $0) } ?? []
        }
        return Set(ids).sorted()
    }
}
