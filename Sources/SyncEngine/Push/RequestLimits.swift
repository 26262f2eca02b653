internal import Backend
internal import SyncAPI

/// The sizes of requests to which a sync keeps: those that the server has announced, but never more than this client's own,
/// for which its own limits of answers are made.
///
/// A record that is too large for the server is sent all the same: the server's refusal says why.
struct RequestLimits: Sendable, Equatable {
    /// The mutations of a push.
    var mutations = Limits.mutations
    /// The body of a request, in bytes.
    var bodyBytes = Limits.bodyBytes
    /// The records of a page.
    var pageRecords = Limits.pageMaximum

    /// - Parameter offer: What the server has announced; nil: nothing is known.
    init(_ offer: ServerOffer?) {
        guard let limits = offer?.limits else { return }
        mutations = Self.lower(limits.mutations, mutations)
        bodyBytes = Self.lower(limits.bodyBytes, bodyBytes)
        pageRecords = Self.lower(limits.pageRecords, pageRecords)
    }

    /// The size of a push at which the rest waits for the next one, in bytes: half of what the server accepts.
    var batchBytes: Int { bodyBytes / 2 }

    /// Returns the lower limit. A limit that allows nothing is a fault of the server, and doesn't count.
    private static func lower(_ announced: Int, _ own: Int) -> Int { announced > 0 ? min(announced, own) : own }
}
