#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

internal import CMalloc

/// How the process's memory is managed.
public enum Allocator {
    /// Returns memory to the system when it is freed. Call it once, before the server starts.
    ///
    /// With glibc's defaults, a hundred large answers leave the process hundreds of MiB larger for good.
    public static func returnFreedMemory() { return_freed_memory() }
}

/// How many descriptors (sockets and files) the process may have open at once.
public enum DescriptorLimit {
    /// The largest limit requested, even if the system allows more: each descriptor costs kernel memory.
    private static let most = 1 << 20

    /// The limit now; 0 if the system doesn't say.
    public static var current: Int { limit.map { Int(clamping: $0.rlim_cur) } ?? 0 }

    /// Raises the soft limit to the highest value that the process may set.
    ///
    /// - Returns: the limit afterwards.
    public static func raise() -> Int {
        guard var limit else { return 0 }
        let wanted = min(limit.rlim_max, rlim_t(most))
        guard limit.rlim_cur < wanted else { return current }
        limit.rlim_cur = wanted
        // If the system refuses, the limit is unchanged, and that limit is returned.
        _ = setrlimit(resource, &limit)
        return current
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }
}
