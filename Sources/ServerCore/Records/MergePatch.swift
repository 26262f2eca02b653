internal import Records

/// JSON Merge Patch (RFC 7396 section 2).
enum MergePatch {
    /// `target` as `patch` wants it. Recursion is bounded by the depth that the parser allows.
    static func apply(_ patch: JSONValue, to target: JSONValue?) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        return .object(apply(changes, to: target?.object ?? [:]))
    }

    /// As `apply`, for objects.
    static func apply(_ changes: JSONObject, to target: JSONObject) -> JSONObject {
        StepCounter.count(target.count + changes.count)
        var result = target
        for (name, value) in changes {
            result[name] = value.isNull ? Optional.none : apply(value, to: result[name])
        }
        return result
    }
}
