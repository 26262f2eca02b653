extension Record {
    /// The record as on the wire; nil if a member is missing or of the wrong shape. Unknown members are ignored.
    public init?(json: JSONValue) {
        guard let members = json.object,
            let collection = members["collection"]?.string, let id = members["id"]?.string,
            let version = members["version"]?.integer, let deleted = members["deleted"]?.bool,
            let modifiedAt = members["modifiedAt"]?.string, let modifiedBy = members["modifiedBy"]?.string,
            let clock = members["clock"].flatMap(FieldClocks.init(json:))
        else { return nil }
        let fields = members["fields"]?.object
        if fields == nil, !deleted { return nil }
        self.init(
            key: RecordKey(collection: collection, id: id), version: version, deleted: deleted, modifiedAt: modifiedAt,
            modifiedBy: modifiedBy, fields: fields ?? [:], clock: clock)
    }
}
