/// When each field of a record was last edited. The name `*` stands for every field not named.
///
/// Field names that Unicode takes for equivalent share one moment: clocks only break ties, so nothing is lost by it.
public struct FieldClocks: Sendable, Equatable {
    /// The moments by field, `*` among them.
    public var moments: [String: HLC]

    /// Clocks of these moments.
    public init(_ moments: [String: HLC] = [:]) { self.moments = moments }

    /// The clocks of a record whose fields were all edited at one moment.
    public init(all moment: HLC) { moments = ["*": moment] }

    /// When `field` was last edited; nil if neither it nor `*` has a moment.
    public subscript(field: String) -> HLC? { moments[field] ?? moments["*"] }

    /// The latest moment of all.
    public var latest: HLC? { moments.values.max() }

    /// Notes that these fields were edited at `moment`.
    public mutating func stamp(_ fields: some Sequence<String>, at moment: HLC) {
        for field in fields { moments[field] = moment }
    }

    /// The clocks of a record made from two: `fields` for those it names, else the later moment of both.
    ///
    /// Joining clocks with themselves gives them back unchanged.
    func joined(with other: FieldClocks, fields: [String: HLC]) -> FieldClocks {
        var joined = FieldClocks()
        let rest = Self.later(moments["*"], other.moments["*"])
        joined.moments["*"] = rest
        let named = Set(moments.keys).union(other.moments.keys)
        for name in named.union(fields.keys) where name != "*" {
            let moment = fields[name] ?? Self.later(self[name], other[name])
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
        var moments: [String: HLC] = [:]
        for (name, value) in members {
            guard let moment = value.string.flatMap(HLC.init) else { return nil }
            // Two equivalent names: the later moment, whatever their order.
            moments[name] = Self.later(moments[name], moment)
        }
        self.init(moments)
    }

    /// The clocks as on the wire.
    public var json: JSONValue { .object(JSONObject(moments.map { ($0.key, .string($0.value.description)) })) }
}
