import Backend
import Foundation
import Locking

/// A minimal HTTP server on a free port of this machine: one thread for each connection. A test decides byte by byte
/// what it sends.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let state = Locked((accepted: 0, open: Set<Int32>(), isStopped: false))

    /// - Parameter serve: is called on a separate thread for each connection, which is closed when it returns.
    init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        port = try Self.listen(listener)
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                guard opened(descriptor) else { continue }
                Thread.detachNewThread { [self] in
                    serve(Connection(descriptor: descriptor))
                    closed(descriptor)
                }
            }
        }
    }

    /// Answers each request of each connection.
    static func answering(_ answer: @escaping @Sendable (Connection.Request) -> String) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = connection.readRequest() { connection.write(answer(request)) }
        }
    }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The number of connections so far.
    var accepted: Int { state.withLock(\.accepted) }
    /// The number of open connections.
    var open: Int { state.withLock(\.open.count) }

    /// Ends all connections and accepts no more.
    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    private func opened(_ descriptor: Int32) -> Bool {
        state.withLock { state in
            guard !state.isStopped else {
                close(descriptor)
                return false
            }
            state.accepted += 1
            state.open.insert(descriptor)
            return true
        }
    }

    private func closed(_ descriptor: Int32) {
        state.withLock { state in
            state.open.remove(descriptor)
            close(descriptor)
        }
    }

    /// A port of the loopback interface.
    static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    /// Binds to a free port of the loopback interface.
    static func listen(_ descriptor: Int32) throws -> UInt16 {
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 && Glibc.listen(descriptor, 256) == 0
                    && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard result else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// One connection to a `LoopbackServer`, blocking.
struct Connection {
    let descriptor: Int32

    struct Request: Sendable {
        var line: String
        var headers: [String: String]
        var body: [UInt8]
        var bodyText: String { String(decoding: body, as: UTF8.self) }
    }

    /// The next request; nil when the client has closed.
    func readRequest() -> Request? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = read(1)?.first else { return nil }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        var body: [UInt8] = []
        while let length = headers["content-length"].flatMap({ Int($0) }), body.count < length {
            guard let more = read(length - body.count) else { return nil }
            body += more
        }
        return Request(line: lines.first.map(String.init) ?? "", headers: headers, body: body)
    }

    /// Up to this many bytes; nil at the end.
    func read(_ count: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = recv(descriptor, &buffer, count, 0)
        return got > 0 ? Array(buffer[..<got]) : nil
    }

    /// Waits until the client has closed.
    func awaitEnd() { while read(4_096) != nil {} }

    /// False if the client has closed.
    @discardableResult func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                send(descriptor, raw.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Whether there is no room to send for this long.
    func isHeldBack(for milliseconds: Int32) -> Bool {
        var poller = pollfd(descriptor: descriptor)
        return poll(&poller, 1, milliseconds) == 0
    }

    /// Ends the connection by a reset instead of an orderly close.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
}

extension pollfd {
    fileprivate init(descriptor: Int32) { self.init(fd: descriptor, events: Int16(POLLOUT), revents: 0) }
}

extension LoopbackServer {
    /// An answer with a body and its length.
    static func answer(_ body: String, status: String = "200 OK", headers: String = "") -> String {
        "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

extension LoopbackServer {
    /// Passes each connection on to another port, which another server serves, and counts them.
    static func relay(to port: UInt16) throws -> LoopbackServer {
        try LoopbackServer { $0.relay(to: port) }
    }
}

extension Connection {
    /// Passes all bytes on to another port, and back, until one side ends.
    func relay(to port: UInt16) {
        guard let server = Connection(to: port) else { return }
        Thread.detachNewThread {
            while let bytes = server.read(64 << 10), write(bytes) {}
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
        while let bytes = read(64 << 10), server.write(bytes) {}
        // Its own thread may still read from it, so the descriptor stays open until the process ends.
        shutdown(server.descriptor, Int32(SHUT_RDWR))
    }

    /// Connects to a port of this machine.
    init?(to port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = LoopbackServer.address(port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
    }
}
