internal import Records
internal import SyncAPI

/// The body of `POST …/changes`, its shape checked.
struct PushRequest: Sendable {
    /// The cursor's text; nil from a device that has seen nothing yet.
    var since: String?
    var mutations: [Mutation]

    /// - Throws: `Problem` 422 with what is wrong where.
    init(json: JSONValue, limits: Capabilities.Limits) throws(Problem) {
        var shape = Shape()
        let members = shape.object(json, "")
        if members == nil { try shape.finish() }
        since = shape.optionalString(members?["since"], "/since")
        let elements = shape.required(members?["mutations"], "/mutations", "an array", \.array) ?? []
        if elements.count > limits.mutations {
            shape.wrong("/mutations", "there may be at most \(limits.mutations), not \(elements.count)")
            try shape.finish()
        }
        mutations = elements.enumerated().compactMap { index, element in
            Mutation(json: element, at: "/mutations/\(index)", &shape)
        }
        Self.checkKeys(mutations, &shape)
        if since == nil, mutations.contains(where: { $0.base != 0 }) {
            shape.wrong("/since", "is missing; only a device that has seen nothing, every base 0, may leave it out")
        }
        try shape.finish()
    }

    private static func checkKeys(_ mutations: [Mutation], _ shape: inout Shape) {
        var seen: Set<RecordKey> = []
        // A name of the wrong form is rejected on its own; hashing it could take quadratic time.
        for mutation in mutations where mutation.key.isValid && !seen.insert(mutation.key).inserted {
            shape.wrong("/mutations", "\(mutation.key.collection)/\(mutation.key.id) stands twice; once is allowed")
        }
    }
}

extension Mutation {
    /// Reads a mutation; nil, and an error in `shape`, if it isn't one. Names of a wrong form are let through: they
    /// get a result of their own.
    fileprivate init?(json: JSONValue, at pointer: String, _ shape: inout Shape) {
        guard let members = shape.object(json, pointer) else { return nil }
        let collection = shape.string(members["collection"], pointer + "/collection")
        let id = shape.string(members["id"], pointer + "/id")
        let base = shape.required(members["base"], pointer + "/base", "a version: a whole number, 0 or more") {
            $0.integer.flatMap { $0 >= 0 ? $0 : nil }
        }
        let at = members["at"].flatMap { value in
            shape.required(value, pointer + "/at", Self.clockForm) { $0.string.flatMap(HLC.init) }
        }
        let clock = members["clock"].flatMap { value in
            shape.required(value, pointer + "/clock", "an object of clocks, each \(Self.clockForm)") {
                FieldClocks(json: $0)
            }
        }
        let action = Action(members, at: pointer, &shape)
        guard let collection, let id, let base, let action else { return nil }
        self.init(key: RecordKey(collection: collection, id: id), base: base, at: at, clock: clock, action: action)
        if !hasClocks {
            shape.wrong(pointer + "/at", "is missing, and clock doesn't name every field of set")
            return nil
        }
    }

    private static let clockForm = "<12 hex digits of unix ms>-<4 hex digits>-<device id>"

    /// Whether each field that is set has a clock.
    private var hasClocks: Bool {
        guard case .set(let changes) = action, at == nil, clock?.moments["*"] == nil else { return true }
        guard base != 0, let moments = clock?.moments else { return false }
        return changes.names.allSatisfy { moments[$0] != nil }
    }
}

extension Mutation.Action {
    fileprivate init?(_ members: JSONObject, at pointer: String, _ shape: inout Shape) {
        switch (members["set"], members["delete"]) {
        case (.some(let set), nil):
            guard let fields = shape.object(set, pointer + "/set") else { return nil }
            self = .set(fields)
        case (nil, .some(let delete)):
            guard delete.bool == true else {
                shape.wrong(pointer + "/delete", "should be true")
                return nil
            }
            self = .delete
        case (.some, .some), (nil, nil):
            shape.wrong(pointer, "should have either set or delete")
            return nil
        }
    }
}
