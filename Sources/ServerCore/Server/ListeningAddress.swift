internal import Foundation
internal import SyncAPI

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The address on which a server listens.
public enum ListeningAddress: Sendable, Equatable {
    /// A TCP port, 0 for any that is free, of the address `host`.
    case port(Int, host: String)
    /// A Unix socket: a file of this path, whose mode decides who may connect.
    case unixSocket(path: String, mode: UInt32)
}

/// The reason for which a server can't listen on a Unix socket, with a message for the person who starts it. New cases
/// may be added.
public enum UnixSocketError: Error, CustomStringConvertible, Equatable {
    /// Another process listens on the socket.
    case inUse(path: String)
    /// There is a file of this name that is no socket.
    case notASocket(path: String)
    /// The path has more than `Limits.socketPathBytes`.
    case tooLong(path: String)
    /// The file can't be read or replaced; `reason` is the system's.
    case unusable(path: String, reason: String)

    public var description: String {
        switch self {
        case .inUse(let path): "another server listens on the socket \(path); choose another path with --socket"
        case .notASocket(let path):
            "\(path) exists and is not a socket, so it is not replaced; choose another path with --socket"
        case .tooLong(let path):
            "the path \(path) is too long for a socket (at most \(Limits.socketPathBytes) bytes); choose a shorter one "
                + "with --socket"
        case .unusable(let path, let reason):
            "can't listen on the socket \(path): \(reason); choose another path with --socket"
        }
    }
}

/// The file of a Unix socket: one that a killed server left is replaced. NIO removes the file when it closes the socket.
struct UnixSocketFile: Sendable {
    private let path: String
    private let mode: mode_t

    init(path: String, mode: UInt32) {
        self.path = path
        self.mode = mode_t(mode)
    }

    /// Makes room for the socket: removes a file on which no process listens any more.
    func prepare() throws(UnixSocketError) {
        guard path.utf8.count <= Limits.socketPathBytes else { throw .tooLong(path: path) }
        // If the file can't be examined, binding the socket to it reports the reason.
        guard let attributes else { return }
        guard attributes[.type] as? FileAttributeType == .typeSocket else { throw .notASocket(path: path) }
        switch connectionError() {
        case 0: throw .inUse(path: path)
        case ECONNREFUSED, ENOENT: break
        case let code: throw .unusable(path: path, reason: String(cString: strerror(code)))
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .unusable(path: path, reason: String(cString: strerror(errno)))
        }
    }

    /// Sets the mode of the file that the server is bound to. Until then, the process's umask decides.
    func listening() {
        // Without the mode, fewer users can connect than intended, which they notice.
        chmod(path, mode)
    }

    private var attributes: [FileAttributeKey: Any]? { try? FileManager.default.attributesOfItem(atPath: path) }

    /// Returns the error of a connection to the socket; 0 if a process has accepted it.
    private func connectionError() -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(Limits.socketPathBytes)) }
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? 0 : errno
    }
}
