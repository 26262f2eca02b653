internal import Records
internal import SyncAPI

extension Mutation {
    /// Reads a mutation of a stored batch; nil if it isn't one.
    init?(json: JSONValue) {
        guard let members = json.object, let collection = members["collection"]?.string, let id = members["id"]?.string,
            let base = members["base"]?.integer
        else { return nil }
        let action: Action
        if let fields = members["set"]?.object {
            action = .set(fields)
        } else if members["delete"]?.bool == true {
            action = .delete
        } else {
            return nil
        }
        self.init(
            key: RecordKey(collection: collection, id: id), base: base, at: members["at"]?.string.flatMap(HLC.init),
            clock: members["clock"].flatMap(FieldClocks.init(json:)), action: action)
    }
}
