import Foundation
import Records
import SQLiteServerStore
import SyncAPI
import TestSupport
import Testing

@testable import ServerCore

/// A client that is a version older works with this server.
///
/// `OlderClient/0.1.json` has what such a client sends, the required members alone, and what it reads of each answer.
/// The file is never changed to fit the server: what a later version adds to a request is optional. `WireDevice` checks
/// each exchange against the OpenAPI document in addition.
///
/// A client that is a version newer works with it, too: it sends the same with members that this server doesn't know.
@Suite struct OlderClientTests {
    /// The endpoints that were added after the version of the file.
    private static let laterEndpoints: Set<String> = []

    private static let openEndpoints = Set(OpenRoute.allCases.map { String(describing: $0) })

    /// A request of the client, with names in angle brackets for what it knows from earlier answers.
    private struct Exchange {
        let endpoint: String
        let method: String
        let path: String
        let headers: [String: String]
        let body: JSONValue?
        let status: Int64
        /// The members of the answer that the client reads.
        let members: [String]
        /// The members of the answer with a value that is known.
        let values: [String: String]
        /// The members of the answer that later requests contain, by the names in angle brackets.
        let kept: [String: String]

        init(_ json: JSONValue) throws {
            let object = try #require(json.object)
            endpoint = try #require(object["endpoint"]?.string)
            method = try #require(object["method"]?.string)
            path = try #require(object["path"]?.string)
            status = try #require(object["status"]?.integer)
            body = object["body"]
            members = (object["members"]?.array ?? []).compactMap(\.string)
            headers = Self.texts(object["headers"])
            values = Self.texts(object["values"])
            kept = Self.texts(object["keep"])
        }

        private static func texts(_ json: JSONValue?) -> [String: String] {
            var texts: [String: String] = [:]
            guard let object = json?.object else { return texts }
            for name in object.names { texts[name] = object[name]?.string }
            return texts
        }
    }

    private static func exchanges() throws -> [Exchange] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "OlderClient/0.1.json")
        let json = try JSONValue(parsing: try Data(contentsOf: file))
        return try #require(json.array).map { try Exchange($0) }
    }

    /// Returns a member of a member, or an element of it: `results.0.status`.
    private static func value(at path: String, in json: JSONValue) -> JSONValue? {
        var value: JSONValue? = json
        for name in path.split(separator: ".") {
            if let index = Int(name) {
                let elements = value?.array ?? []
                value = elements.indices.contains(index) ? elements[index] : nil
            } else {
                value = value?.object?[String(name)]
            }
        }
        return value
    }

    /// Returns a text with the names in angle brackets replaced by what is known.
    private static func filled(_ text: String, _ known: [String: String]) -> String {
        known.reduce(text) { text, entry in text.replacing("<\(entry.key)>", with: entry.value) }
    }

    @Test func theFileHasEveryEndpointThatTheClientKnows() throws {
        let present = Self.openEndpoints.union(AuthenticatedRoute.Kind.allCases.map { String(describing: $0) })
        let sent = Set(try Self.exchanges().map(\.endpoint))
        #expect(sent == present.subtracting(Self.laterEndpoints))
    }

    @Test func eachRequestOfAnOlderClientIsAnsweredAsDocumented() async throws {
        try await exchange { _, body in body }
    }

    @Test func unknownMembersOfTheRequestsOfANewerClientAreIgnored() async throws {
        let answers = try await exchange { exchange, body in
            exchange.endpoint == "patchRecord" ? body : Self.withUnknownMembers(body)
        }
        // A member that was stored or applied would come back in a later answer.
        for answer in answers { #expect(!answer.json.text.contains(Self.unknownValue), "\(answer)") }
    }

    @Test func aMergePatchWithAnUnknownMemberIsRefusedAsDocumented() async throws {
        // It would be a request to change that member of the record.
        let exchange = try #require(try Self.exchanges().first { $0.endpoint == "patchRecord" })
        let body = Self.withUnknownMembers(try #require(exchange.body))
        #expect(throws: Problem.self) { try RecordBody.patch(checking: body) }
    }

    /// The value of the unknown members.
    private static let unknownValue = "770077007700"

    /// Returns a body as a later version may send it: each object of the protocol has members that this server doesn't
    /// know. The fields of a record and its clocks are data, whose names the server doesn't choose.
    private static func withUnknownMembers(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(var object):
            for name in Array(object.names) where !["fields", "set", "clock"].contains(name) {
                object[name] = object[name].map { withUnknownMembers($0) }
            }
            object["later"] = ["members": [.string(unknownValue)]]
            // Names of members of answers: that a client sends them doesn't set them.
            for name in ["version", "modifiedBy", "quota", "role"] { object[name] = .string(unknownValue) }
            return .object(object)
        case .array(let elements): return .array(elements.map { withUnknownMembers($0) })
        case .null, .bool, .number, .string: return json
        }
    }

    /// Sends the requests of the file, and checks the answers.
    ///
    /// - Parameter sent: Returns the body that is sent in place of one of the file.
    /// - Returns: The answers.
    @discardableResult
    private func exchange(_ sent: (Exchange, JSONValue) -> JSONValue) async throws -> [WireDevice.Answer] {
        let server = try InProcessServer()
        let service = AdministrationService(store: server.store)
        var device = WireDevice(server)
        var known: [String: String] = [:]
        var answers: [WireDevice.Answer] = []
        for exchange in try Self.exchanges() {
            // Only now: a changed password withdraws the code.
            if exchange.endpoint == "resetLogIn" { known["code"] = try await service.resetPassword("anna").text }
            device.accessToken = Self.openEndpoints.contains(exchange.endpoint) ? nil : known["accessToken"]
            let body = exchange.body.map { Array(Self.filled(sent(exchange, $0).text, known).utf8) }
            let answer = try await device.call(
                exchange.method, Self.filled(exchange.path, known), bytes: body, headers: exchange.headers)
            answers.append(answer)
            #expect(Int64(answer.status) == exchange.status, "\(exchange.endpoint): \(answer)")
            for member in exchange.members {
                #expect(Self.value(at: member, in: answer.json) != nil, "\(exchange.endpoint): \(member) in \(answer)")
            }
            for (member, value) in exchange.values {
                #expect(Self.value(at: member, in: answer.json)?.string == value, "\(exchange.endpoint): \(answer)")
            }
            for (name, member) in exchange.kept {
                known[name] = try #require(
                    Self.value(at: member, in: answer.json)?.string, "\(exchange.endpoint): \(answer)")
            }
        }
        return answers
    }
}
