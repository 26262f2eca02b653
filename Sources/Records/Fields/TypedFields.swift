extension FieldCatalog {
    /// Returns the fields of a record as programs receive them: a number as a number, a set as an array, a day as
    /// `2026-12-24`, a time as RFC 3339 in UTC, without its time zone. Fields that aren't declared, for example those of
    /// a newer version, and values of another kind are returned as they are stored.
    public func typed(_ fields: JSONObject) -> JSONObject {
        var typed = fields
        // A record stores numbers, flags, texts and sets in this form already.
        for (name, value) in fields {
            guard let field = self[name], field.kind.isDate, case .date(let date)? = field.content(of: value) else {
                continue
            }
            typed[name] = .string(date.withoutZone.description)
        }
        return typed
    }
}
