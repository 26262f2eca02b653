internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A metric of the process, with the name that Prometheus' client libraries use.
struct ProcessMetric {
    let name: String
    let kind: ServerMetric.Kind
    let help: String
    /// Nil if the system doesn't report it.
    let value: Double?

    /// The present metrics of this process in Prometheus' text format.
    static var text: String {
        let all = [
            ProcessMetric(name: "cpu_seconds_total", kind: .counter, help: "CPU time in seconds", value: cpuSeconds),
            ProcessMetric(
                name: "resident_memory_bytes", kind: .gauge, help: "Resident memory", value: residentBytes),
            ProcessMetric(name: "open_fds", kind: .gauge, help: "Open files and sockets", value: openDescriptors),
            ProcessMetric(
                name: "max_fds", kind: .gauge, help: "The limit of open files and sockets",
                value: Double(DescriptorLimit.current)),
        ]
        return all.map(\.text).joined()
    }

    private var text: String {
        guard let value else { return "" }
        return """
            # HELP process_\(name) \(help).
            # TYPE process_\(name) \(kind.rawValue)
            process_\(name) \(value)

            """
    }

    private static var cpuSeconds: Double? {
        let ticks = clock()
        // POSIX defines a second as a million of them. -1 stands for an unknown time.
        return ticks >= 0 ? Double(ticks) / 1e6 : nil
    }

    private static var residentBytes: Double? {
        // The second number is in pages (proc(5)). Other systems than Linux have no such file.
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return nil }
        return pages * Double(getpagesize())
    }

    private static var openDescriptors: Double? {
        // Without the descriptor that reads the directory. Other systems than Linux have no such directory.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { Double($0.count - 1) }
    }
}
