import Records
import SyncAPI
import Testing

@Suite("The OpenAPI document")
struct OpenAPITests {
    private let document = OpenAPI.document(
        limits: Capabilities.Limits(bodyBytes: 1, fieldsBytes: 2, mutations: 3, pageRecords: 4))

    /// The operations by method and path.
    private var operations: [String: JSONObject] { operations(of: document) }

    private func operations(of document: JSONValue) -> [String: JSONObject] {
        var operations: [String: JSONObject] = [:]
        for (path, methods) in document.object?["paths"]?.object ?? [:] {
            for (method, operation) in methods.object ?? [:] {
                operations[method.uppercased() + " " + path] = operation.object
            }
        }
        return operations
    }

    /// The codes of the problems with a status.
    private func codes(_ operation: JSONObject?, _ status: String) -> [String] {
        let content = operation?["responses"]?.object?[status]?.object?["content"]?.object
        let schema = content?[Problem.mediaType]?.object?["schema"]?.object?["allOf"]?.array?.last
        let code = schema?.object?["properties"]?.object?["code"]?.object
        return code?["enum"]?.array?.compactMap(\.string) ?? []
    }

    @Test("every route is described once, with its parameters and its body")
    func routes() throws {
        let operations = operations
        #expect(operations.count == OpenRoute.Kind.allCases.count + AuthenticatedRoute.Kind.allCases.count)
        #expect(Set(operations.values.compactMap { $0["operationId"]?.string }).count == operations.count)
        for (line, operation) in operations {
            let variables = line.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            let parameters = (operation["parameters"]?.array ?? []).compactMap(\.object)
            #expect(parameters.filter { $0["in"] == "path" }.compactMap { $0["name"]?.string } == variables, "\(line)")
            #expect(operation["responses"]?.object?["500"] != nil, "\(line)")
        }
        #expect(operations["POST /v1/sessions"]?["security"] == nil)
        #expect(operations["GET /v1/account"]?["security"] != nil)
        #expect(operations["POST /v1/spaces/{space}/changes"]?["requestBody"] != nil)
        #expect(
            codes(operations["POST /v1/spaces/{space}/changes"], "403")
                == ["forbidden", "account-disabled", "quota-exceeded"])
        #expect(codes(operations["GET /v1/spaces/{space}/changes"], "403") == ["account-disabled"])
        #expect(codes(operations["GET /v1/devices"], "403") == ["forbidden", "account-disabled"])
    }

    @Test("an answer has Retry-After by its status alone")
    func retryAfter() {
        var statuses: Set<Int> = []
        for operation in operations.values {
            for (status, response) in operation["responses"]?.object ?? [:]
            where response.object?["headers"]?.object?[Header.retryAfter] != nil {
                statuses.insert(Int(status) ?? 0)
            }
        }
        #expect(statuses == Header.retryAfterStatuses)
    }

    /// Endpoints of an extension.
    private enum Own: Endpoint {
        case count(space: String), reset(space: String), write(name: String)

        enum Kind: CaseIterable {
            case count, reset, write
        }

        static let table = RouteTable<Self> { kind in
            switch kind {
            case .count: .init(.get, "/own/\(.space)/count", Self.count)
            case .reset: .init(.delete, "/own/\(.space)/count", Self.reset)
            case .write: .init(.put, "/own/names/\(PathParameter("name"))", Self.write)
            }
        }

        var kindAndValues: (kind: Kind, values: [String]) {
            switch self {
            case .count(let space): (.count, [space])
            case .reset(let space): (.reset, [space])
            case .write(let name): (.write, [name])
            }
        }
    }

    @Test("an authenticated endpoint of an extension that changes a space may be forbidden")
    func extensions() throws {
        let limits = Capabilities.Limits(bodyBytes: 1, fieldsBytes: 2, mutations: 3, pageRecords: 4)
        let authenticated = operations(of: OpenAPI.document(limits: limits, authenticated: [Own.self]))
        #expect(codes(authenticated["GET /own/{space}/count"], "403") == ["account-disabled"])
        #expect(
            codes(authenticated["DELETE /own/{space}/count"], "403")
                == ["forbidden", "account-disabled", "quota-exceeded"])
        #expect(codes(authenticated["PUT /own/names/{name}"], "403") == ["forbidden", "account-disabled"])
        let open = operations(of: OpenAPI.document(limits: limits, open: [Own.self]))
        #expect(codes(open["DELETE /own/{space}/count"], "403") == [])
    }

    @Test("every reference has a schema")
    func references() {
        let schemas = document.object?["components"]?.object?["schemas"]?.object ?? [:]
        func references(in value: JSONValue) -> [String] {
            switch value {
            case .object(let members):
                members.flatMap { $0.name == "$ref" ? [$0.value.string ?? ""] : references(in: $0.value) }
            case .array(let elements): elements.flatMap(references)
            case .null, .bool, .number, .string: []
            }
        }
        let names = references(in: document).map { $0.replacing("#/components/schemas/", with: "") }
        #expect(names.contains("Record"))
        for name in names { #expect(schemas[name] != nil, "\(name)") }
    }

    @Test("every problem and every limit is listed")
    func lists() {
        let problems = document.object?["x-problems"]?.array?.compactMap { $0.object?["code"]?.string }
        #expect(problems == Problem.Code.all.map(\.code.rawValue))
        let limits = document.object?["x-limits"]?.array ?? []
        let values = Dictionary(
            limits.compactMap { $0.object }.map { ($0["name"]?.string ?? "", $0["value"]?.integer) }
        ) { first, _ in first }
        #expect(values["mutations"] == 3)
        #expect(values["pageBytes"] == Int64(Limits.pageBytes))
    }

    @Test("a form of several has one of them at least, or exactly one")
    func alternatives() {
        let (one, both) = (BodySchema.object([.required("a", .string)]), BodySchema.object([.required("b", .string)]))
        let value: JSONValue = ["a": "x", "b": "y"]
        #expect(BodySchema.anyOf([one, both]).errors(in: value) == [])
        #expect(BodySchema.anyOf([one, both]).errors(in: ["b": "y"]) == [])
        #expect(BodySchema.anyOf([one, both]).errors(in: ["c": "y"]).count == 1)
        #expect(BodySchema.oneOf([one, both]).errors(in: value).count == 1)
    }

    @Test("a text has the lengths and the form that a document can name")
    func texts() throws {
        let members = try #require(
            document.object?["components"]?.object?["schemas"]?.object?["SessionGrant"]?.object?["properties"]?.object)
        let name = members["device"]?.object?["properties"]?.object?["name"]?.object
        #expect(name?["minLength"] == 1)
        #expect(name?["maxLength"] == 256)
        #expect(name?["format"] == "device-name")
    }

    @Test("a device's name has no line breaks and no other control characters")
    func deviceNames() {
        for name in ["laptop", "Müllers Küche", "téléphone 📱", String(repeating: "n", count: 256)] {
            #expect(DeviceNameRequest.schema.errors(in: ["name": .string(name)]) == [])
        }
        let long = String(repeating: "n", count: 257)
        for name in ["", "a\nb", "a\tb", "\u{1B}[2J", "\u{7F}", "\u{85}", "a\u{2029}", long] {
            #expect(DeviceNameRequest.schema.errors(in: ["name": .string(name)]).count == 1)
        }
    }

    @Test("an event is described by the names of its fields")
    func events() throws {
        let answer = operations["GET /v1/events"]?["responses"]?.object?["200"]?.object?["content"]?.object
        let event = try #require(answer?["text/event-stream"]?.object?["schema"]?.object?["properties"]?.object)
        #expect(event["event"] == ["const": "changes"])
        #expect(event["data"]?.object?["contentSchema"] == ["$ref": "#/components/schemas/ChangeEvent"])
    }

    @Test("a field can't have the name that stands for all fields in clocks", arguments: ["PUT", "PATCH"])
    func fieldNames(method: String) throws {
        let operation = operations["\(method) /v1/spaces/{space}/records/{collection}/{id}"]
        let content = try #require(operation?["requestBody"]?.object?["content"]?.object)
        let body = try #require(content[method == "PUT" ? "application/json" : "application/merge-patch+json"]?.object)
        let fields = body["schema"]?.object?["properties"]?.object?["fields"]
        #expect(fields?.object?["propertyNames"] == ["not": ["enum": ["*"]]])
    }

    @Test("a schema describes a body, and checks it")
    func schemas() throws {
        let schema = BodySchema.object(
            [.required("a", .string), .optional("b", .integer(minimum: 1))], others: .refused("is unknown"))
        var components: [String: JSONValue] = [:]
        #expect(
            schema.json(components: &components) == [
                "type": "object", "required": ["a"], "additionalProperties": false,
                "properties": [
                    "a": ["type": "string", "description": "a string"],
                    "b": [
                        "type": "integer", "minimum": 1, "maximum": 9_007_199_254_740_991,
                        "description": "a whole number",
                    ],
                ],
            ])
        #expect(schema.errors(in: ["a": "x", "b": 1]) == [])
        #expect(schema.errors(in: ["a": "x", "b": 9_007_199_254_740_991]) == [])
        #expect(
            schema.errors(in: ["a": "x", "b": 9_007_199_254_740_992]) == [BodyError("/b", "should be a whole number")])
        #expect(
            schema.errors(in: ["b": 0, "c": 1]) == [
                BodyError("/a", "is missing; it should be a string"), BodyError("/b", "should be a whole number"),
                BodyError("/c", "is unknown"),
            ])
    }
}
