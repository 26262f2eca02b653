import Foundation
import ServerCore
import TestSupport

/// Sends requests over a real socket with the `curl` command, a client that shares no code with ours.
struct Curl: Sendable {
    let baseURL: String

    /// A header of this name isn't sent; its value is an additional argument for curl.
    private static let option = "X-Curl"

    /// `WireDevice.Send` over the socket.
    func send(_ request: ServerRequest) async throws -> ServerAnswer {
        var body: [UInt8] = []
        try await request.parts { body += $0 }
        // No `Expect: 100-continue`: curl would wait a second for an answer that HTTP lets a server omit.
        var arguments = ["-s", "-i", "-X", request.method, "-H", "Expect:", "--path-as-is"]
        for (name, value) in request.headers where name == Self.option { arguments.append(value) }
        for (name, value) in request.headers where name != Self.option { arguments += ["-H", "\(name): \(value)"] }
        if !body.isEmpty { arguments += ["--data-binary", "@-"] }
        let outcome = try await TestProgram.run("curl", arguments + [baseURL + request.target], input: body)
        return try Self.parse(outcome.output)
    }

    /// Parses the head and the body that `curl -i` prints.
    private static func parse(_ output: [UInt8]) throws -> ServerAnswer {
        guard let end = output.firstRange(of: Array("\r\n\r\n".utf8)) else { throw NoAnswer() }
        let lines = String(decoding: output[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw NoAnswer()
        }
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)) : nil
        }
        return ServerAnswer(status: status, headers: headers, body: Array(output[end.upperBound...]))
    }

    /// curl printed no HTTP answer.
    struct NoAnswer: Error {}
}
