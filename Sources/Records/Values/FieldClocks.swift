/// When each field of a record was last edited. The name `*` stands for every field not named.
public struct FieldClocks: Sendable, Equatable {
    /// The moments by field, `*` among them.
    public var moments: [JSONName: HLC]

    /// Clocks of these moments.
    public init(_ moments: [JSONName: HLC] = [:]) { self.moments = moments }

    /// The clocks of a record whose fields were all edited at one moment.
    public init(all moment: HLC) { moments = ["*": moment] }

    /// When `field` was last edited; nil if neither it nor `*` has a moment.
    public subscript(field: String) -> HLC? { moments[JSONName(field)] ?? moments["*"] }

    /// The clocks of these fields and `*`. A removed field has no entry any more.
    public func only(of fields: JSONObject) -> FieldClocks {
        StepCounter.count(moments.count)
        return FieldClocks(moments.filter { $0.key == "*" || fields[$0.key.text] != nil })
    }

    /// The latest moment of all.
    public var latest: HLC? { moments.values.max() }

    /// Notes that these fields were edited at `moment`.
    public mutating func stamp(_ fields: some Sequence<String>, at moment: HLC) {
        for field in fields { moments[JSONName(field)] = moment }
    }

    /// The clocks of a record made from two: `fields` for those it names, else the later moment of both.
    ///
    /// Joining clocks with themselves gives them back unchanged.
    func joined(with other: FieldClocks, fields: [JSONName: HLC]) -> FieldClocks {
        var joined = FieldClocks()
        let rest = Self.later(moments["*"], other.moments["*"])
        joined.moments["*"] = rest
        let named = Set(moments.keys).union(other.moments.keys)
        for name in named.union(fields.keys) where name != "*" {
            let moment = fields[name] ?? Self.later(self[name.text], other[name.text])
            if named.contains(name) || moment != rest { joined.moments[name] = moment }
        }
        return joined
    }

    /// The later of two moments; a known one is later than none.
    static func later(_ one: HLC?, _ other: HLC?) -> HLC? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}

extension FieldClocks {
    /// The clocks as on the wire; nil if `json` is no object of HLC texts.
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
