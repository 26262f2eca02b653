/// Edits of records: top-level fields are replaced whole, `null` removes one (SyncAPI.docc/Protocol.md, "Changes").
extension JSONObject {
    /// The object after the edit `patch`: each named field replaced whole, those with `null` removed.
    public func applying(_ patch: JSONObject) -> JSONObject {
        StepCounter.count(count + patch.count)
        var result = self
        for (name, value) in patch { result[name] = value.isNull ? nil : value }
        return result
    }

    /// The smallest edit that makes this object out of `old`: its changed fields, and `null` for those that are gone.
    public func patch(from old: JSONObject) -> JSONObject {
        var patch = JSONObject()
        for (name, value) in self where old[name] != value { patch[name] = value }
        for name in old.names where self[name] == nil { patch[name] = JSONValue.null }
        return patch
    }

    /// The object without its members that are `null`, which an edit can't set.
    public var withoutNulls: JSONObject { JSONObject(lazy.filter { !$0.value.isNull }.map { ($0.name, $0.value) }) }

    /// The members of both; of members with one name, those of `other`.
    func adding(_ other: JSONObject) -> JSONObject {
        var result = self
        for (name, value) in other { result[name] = value }
        return result
    }
}
