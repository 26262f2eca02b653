/// The time of the last edit of each field of a record. The name `*` means every field that has no entry.
public struct FieldClocks: Sendable, Equatable {
    /// The times by field, including `*`.
    public var moments: [JSONName: HLC]

    /// Creates clocks with these times.
    public init(_ moments: [JSONName: HLC] = [:]) { self.moments = moments }

    /// Creates the clocks of a record whose fields were all edited at the same time.
    public init(all moment: HLC) { moments = ["*": moment] }

    /// The time of the last edit of `field`; nil if neither it nor `*` has an entry.
    public subscript(field: String) -> HLC? { moments[JSONName(field)] ?? moments["*"] }

    /// Returns the clocks of these fields and `*`. A removed field has no entry.
    public func only(of fields: JSONObject) -> FieldClocks {
        StepCounter.count(moments.count)
        return FieldClocks(moments.filter { $0.key == "*" || fields[$0.key.text] != nil })
    }

    /// The latest of all times.
    public var latest: HLC? { moments.values.max() }

    /// Sets the time of these fields to `moment`.
    public mutating func stamp(_ fields: some Sequence<String>, at moment: HLC) {
        for field in fields { moments[JSONName(field)] = moment }
    }

    /// Returns the clocks of a record merged from two: `fields` for those it names, else the later time of both.
    ///
    /// Joining clocks with themselves returns them unchanged.
    func joined(with other: FieldClocks, fields: [JSONName: HLC]) -> FieldClocks {
        var joined = FieldClocks()
        let rest = Self.later(moments["*"], other.moments["*"])
        joined.moments["*"] = rest
        let named = Set(moments.keys).union(other.moments.keys)
        for name in named.union(fields.keys) where name != "*" {
            let moment = fields[name] ?? Self.later(self[name.text], other[name.text])
            // `*` already covers a field that neither side names and whose time is the same.
            if named.contains(name) || moment != rest { joined.moments[name] = moment }
        }
        return joined
    }

    /// Returns the later of two times; a known one is later than nil.
    static func later(_ one: HLC?, _ other: HLC?) -> HLC? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}

extension FieldClocks {
    /// Parses clocks from the wire; nil if `json` isn't an object of HLC texts.
    public init?(json: JSONValue) {
        guard let members = json.object else { return nil }
        StepCounter.count(members.count)
        var moments: [JSONName: HLC] = [:]
        moments.reserveCapacity(members.count)
        for (name, value) in members {
            guard let moment = value.string.flatMap(HLC.init) else { return nil }
            moments[JSONName(name)] = moment
        }
        self.init(moments)
    }

    /// The clocks as on the wire.
    public var json: JSONValue { .object(JSONObject(moments.map { ($0.key.text, .string($0.value.description)) })) }
}
