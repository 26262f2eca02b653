public import Records

/// The OpenAPI 3.1 document of a server, generated from the routes, the bodies, the problems and the limits.
public enum OpenAPI {
    /// Returns the document.
    ///
    /// - Parameters:
    ///   - limits: The limits of the server.
    ///   - open: Enums of further endpoints that need no token.
    ///   - authenticated: Enums of further endpoints that need one.
    public static func document(
        limits: Capabilities.Limits, open: [any Endpoint.Type] = [], authenticated: [any Endpoint.Type] = []
    ) -> JSONValue {
        var components: [String: JSONValue] = [:]
        var paths: JSONObject = [:]
        let routes =
            ([OpenRoute.self] + open).flatMap { Self.routes(of: $0, isAuthenticated: false) }
            + ([AuthenticatedRoute.self] + authenticated).flatMap { Self.routes(of: $0, isAuthenticated: true) }
        for route in routes {
            // OpenAPI has one entry for each path, with its methods as members.
            var methods = paths[route.path]?.object ?? [:]
            methods[route.method.lowercased()] = route.json(&components)
            paths[route.path] = .object(methods)
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Sync protocol", "version": "1"],
            "paths": .object(paths),
            "components": [
                "schemas": .object(JSONObject(components.map { ($0.key, $0.value) })),
                "securitySchemes": ["accessToken": ["type": "http", "scheme": "bearer"]],
            ],
            "x-problems": .array(Problem.Code.all.map(\.json)),
            "x-limits": .array(Limits.all(of: limits).map(\.json)),
        ]
    }

    private static func routes<Routes: Endpoint>(of type: Routes.Type, isAuthenticated: Bool) -> [Route] {
        Routes.Kind.allCases.map { kind in
            let (pattern, operation) = (Routes.table[kind], Routes.operation(of: kind))
            return Route(
                method: pattern.method.rawValue, path: pattern.template.text, operation: operation,
                parameters: pattern.template.parameters.map { .path($0) } + operation.parameters,
                isAuthenticated: isAuthenticated, isWriting: pattern.isWriting)
        }
    }

    /// Returns the headers that the status of a problem requires.
    private static func headers(ofProblem status: Int) -> JSONValue? {
        switch status {
        case 401: header(Header.wwwAuthenticate, .string("Bearer"))
        case _ where Header.retryAfterStatuses.contains(status):
            header(Header.retryAfter, .integer("seconds", minimum: 0))
        default: nil
        }
    }

    private static func header(_ name: String, _ schema: BodySchema) -> JSONValue {
        var components: [String: JSONValue] = [:]
        let header: JSONValue = ["required": true, "schema": schema.json(components: &components)]
        return .object(JSONObject([(name, header)]))
    }

    /// What the document says about an endpoint.
    private struct Route {
        let method: String
        /// The path with the names of its variable segments in braces.
        let path: String
        let operation: Operation
        /// The parameters of the path and those of the operation.
        let parameters: [Operation.Parameter]
        let isAuthenticated: Bool
        /// Whether the endpoint changes a space.
        let isWriting: Bool

        /// The codes of all problems that the endpoint may answer.
        var problems: [Problem.Code] {
            var codes: [Problem.Code] = operation.problems + [.invalidRequest, .unavailable, .internalError]
            codes.append(.insufficientStorage)
            if isAuthenticated {
                codes += [.tokenMissing, .tokenInvalid, .tokenExpired, .notFound, .rateLimited, .accountDisabled]
                // Of a reader of the space, and of an app password that only reads.
                if method != EndpointMethod.get.rawValue { codes.append(.forbidden) }
            }
            if isAuthenticated, isWriting { codes.append(.quotaExceeded) }
            if operation.body != nil { codes += [.invalidJSON, .invalidBody, .tooLarge, .unsupportedMediaType] }
            return codes
        }

        func json(_ components: inout [String: JSONValue]) -> JSONValue {
            var members: JSONObject = [
                "operationId": .string(operation.name), "summary": .string(operation.summary),
                "responses": responses(&components),
            ]
            if !parameters.isEmpty { members["parameters"] = .array(parameters.map { $0.json(&components) }) }
            if let body = operation.body {
                members["requestBody"] = [
                    "required": true,
                    "content": content(body.mediaType, body.schema.json(components: &components)),
                ]
            }
            if isAuthenticated { members["security"] = [["accessToken": []]] }
            return .object(members)
        }

        private func responses(_ components: inout [String: JSONValue]) -> JSONValue {
            var responses: JSONObject = [:]
            for answer in operation.answers {
                var response: JSONObject = ["description": .string(answer.words)]
                if let mediaType = answer.mediaType, let schema = answer.schema?.json(components: &components) {
                    response["content"] = content(mediaType, answer.event.map { event($0, data: schema) } ?? schema)
                }
                if answer.isTagged { response["headers"] = OpenAPI.header(Header.entityTag, .string("an entity tag")) }
                responses["\(answer.status)"] = .object(response)
            }
            let problem = Problem.schema.json(components: &components)
            let codes = Set(problems)
            let meanings = Problem.Code.all.filter { codes.contains($0.code) }
            // OpenAPI has one response for each status, so the codes with the same status share one.
            for status in Set(meanings.flatMap(\.statuses)) {
                let meanings = meanings.filter { $0.statuses.contains(status) }
                let codes: JSONValue = ["enum": .array(meanings.map { .string($0.code.rawValue) })]
                let code: JSONValue = ["properties": ["code": codes]]
                let schema: JSONValue = ["allOf": [problem, code]]
                var response: JSONObject = [
                    "description": .string(meanings.map(\.text).joined(separator: " ")),
                    "content": content(Problem.mediaType, schema),
                ]
                response["headers"] = OpenAPI.headers(ofProblem: status)
                responses["\(status)"] = .object(response)
            }
            return .object(responses)
        }

        /// Returns the schema of an event of a stream, with the names of its fields (HTML, section 9.2.6). OpenAPI 3.1
        /// doesn't define what the schema of a stream means; 3.2 uses this form for its items.
        private func event(_ name: String, data: JSONValue) -> JSONValue {
            let data: JSONValue = [
                "type": "string", "contentMediaType": "application/json", "contentSchema": data,
            ]
            return [
                "type": "object", "required": ["event", "data"],
                "properties": ["event": ["const": .string(name)], "id": ["type": "string"], "data": data],
            ]
        }

        private func content(_ mediaType: String, _ schema: JSONValue) -> JSONValue {
            .object(JSONObject([(mediaType, .object(["schema": schema]))]))
        }
    }
}

extension Operation.Parameter {
    fileprivate func json(_ components: inout [String: JSONValue]) -> JSONValue {
        [
            "name": .string(name), "in": .string(place.rawValue), "required": .bool(isRequired),
            "schema": schema.json(components: &components),
        ]
    }
}

extension Problem.Code.Meaning {
    fileprivate var json: JSONValue {
        [
            "code": .string(code.rawValue), "statuses": .array(statuses.map { .integer(Int64($0)) }),
            "description": .string(text),
        ]
    }
}

extension Limits {
    /// A limit of the protocol, for documentation.
    struct Described {
        let name: String
        let value: Int
        let words: String

        var json: JSONValue { ["name": .string(name), "value": .integer(Int64(value)), "description": .string(words)] }
    }

    /// Returns every limit of a server.
    static func all(of server: Capabilities.Limits) -> [Described] {
        [
            Described(name: "bodyBytes", value: server.bodyBytes, words: "Bytes of a request's body."),
            Described(name: "bodyValues", value: bodyValues, words: "JSON values in a request's body, at every depth."),
            Described(name: "accountBodyBytes", value: accountBodyBytes, words: "Bytes of a body about accounts."),
            Described(name: "fieldsBytes", value: server.fieldsBytes, words: "Bytes of a record's fields."),
            Described(name: "recordBytes", value: recordBytes, words: "Bytes of a record's fields and clocks."),
            Described(
                name: "changedBytes", value: changedBytes,
                words: "Bytes of the records that a request changes, counted before and after the change."),
            Described(name: "mutations", value: server.mutations, words: "Mutations in one request."),
            Described(name: "pageDefault", value: pageDefault, words: "Records on a page unless `limit` is given."),
            Described(name: "pageRecords", value: server.pageRecords, words: "Records on a page at most."),
            Described(name: "pageBytes", value: pageBytes, words: "Bytes after which a page ends."),
            Described(name: "nesting", value: JSONValue.maximumDepth, words: "Levels of nested JSON."),
            Described(name: "passwordBytes", value: passwordBytes.upperBound, words: "Bytes of a password at most."),
            Described(
                name: "passwordCharactersMinimum", value: passwordCharacters,
                words: "Characters of a new password at least: Unicode scalars of its NFC."),
            Described(
                name: "appPasswordSeconds", value: Int(appPasswordSeconds),
                words: "Seconds until an app password expires at most."),
            Described(name: "largestPage", value: largestPage, words: "Bytes of a page at most."),
            Described(name: "largestPushAnswer", value: largestPushAnswer, words: "Bytes of the answer to a push."),
        ]
    }
}
