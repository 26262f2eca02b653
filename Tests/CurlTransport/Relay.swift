import Foundation

extension LoopbackServer {
    /// Passes each connection on to another port, so that connections can be counted that somebody else serves.
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
        // Its own thread may still read from it, so the descriptor stays until the process ends.
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
