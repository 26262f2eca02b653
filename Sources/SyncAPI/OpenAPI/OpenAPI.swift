public import Records

/// The OpenAPI 3.1 document of a server, generated from the routes, the bodies, the problems and the limits.
public enum OpenAPI {
    /// Returns the document.
    ///
    /// - Parameters:
    ///   - limits: The limits of the server.
    ///   - open: Further endpoints that need no token.
    ///   - authenticated: Further endpoints that need one.
    public static func document(
        limits: Capabilities.Limits, open: [any Endpoint] = [], authenticated: [any Endpoint] = []
    ) -> JSONValue {
        var components: [String: JSONValue] = [:]
        var paths: JSONObject = [:]
        let endpoints =
            (OpenRoute.table.examples + open).map { Route(endpoint: $0, isAuthenticated: false) }
            + (AuthenticatedRoute.table.examples + authenticated).map { Route(endpoint: $0, isAuthenticated: true) }
        for route in endpoints {
            // OpenAPI has one entry for each path, with its methods as members.
            var methods = paths[route.path]?.object ?? [:]
            methods[route.endpoint.method.lowercased()] = route.json(&components)
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

    /// Returns the headers that the status of a problem requires.
    private static func headers(ofProblem status: Int) -> JSONValue? {
        switch status {
        case 401: header(Header.wwwAuthenticate, .string("Bearer"))
        case 429, 503: header(Header.retryAfter, .integer("seconds", minimum: 0))
        default: nil
        }
    }

    private static func header(_ name: String, _ schema: BodySchema) -> JSONValue {
        var components: [String: JSONValue] = [:]
        let header: JSONValue = ["required": true, "schema": schema.json(components: &components)]
        return .object(JSONObject([(name, header)]))
    }

    /// An endpoint with the properties of its kind.
    private struct Route {
        let endpoint: any Endpoint
        let isAuthenticated: Bool

        /// The path with the names of its variable segments in braces.
        var path: String {
            let names = endpoint.operation.parameters.filter { $0.place == .path }.map(\.name)
            return endpoint.request.path.template(names: names)
        }

        /// The codes of all problems that the endpoint may answer.
        var problems: [Problem.Code] {
            let operation = endpoint.operation
            var codes: [Problem.Code] = operation.problems + [.invalidRequest, .unavailable, .internalError]
            codes.append(.insufficientStorage)
            if isAuthenticated { codes += [.tokenMissing, .tokenInvalid, .tokenExpired, .notFound, .rateLimited] }
            if let access = (endpoint as? AuthenticatedRoute)?.access, access.isWriting { codes.append(.forbidden) }
            if operation.body != nil { codes += [.invalidJSON, .invalidBody, .tooLarge, .unsupportedMediaType] }
            return codes
        }

        func json(_ components: inout [String: JSONValue]) -> JSONValue {
            let operation = endpoint.operation
            var members: JSONObject = [
                "operationId": .string(operation.name), "summary": .string(operation.summary),
                "responses": responses(&components),
            ]
            if !operation.parameters.isEmpty {
                members["parameters"] = .array(operation.parameters.map { $0.json(&components) })
            }
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
            for answer in endpoint.operation.answers {
                var response: JSONObject = ["description": .string(answer.words)]
                if let mediaType = answer.mediaType, let schema = answer.schema {
                    response["content"] = content(mediaType, schema.json(components: &components))
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
                name: "passwordBytesMinimum", value: passwordBytes.lowerBound, words: "Bytes of a password at least."),
            Described(name: "largestPage", value: largestPage, words: "Bytes of a page at most."),
            Described(name: "largestPushAnswer", value: largestPushAnswer, words: "Bytes of the answer to a push."),
        ]
    }
}
