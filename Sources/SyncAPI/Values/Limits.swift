/// The limits that both sides observe; a server reports its own at `GET /v1/`.
public enum Limits {
    /// The number of mutations in one request.
    public static let mutations = 1_000
    /// The number of records on one page if the request doesn't specify it.
    public static let pageDefault = 1_000
    /// The largest number of records on one page.
    public static let pageMaximum = 5_000
    /// The size at which a page ends early, in bytes; also the size of all `current` records in the answer to a push.
    public static let pageBytes = 4 << 20
    /// The size of a record's fields, in bytes.
    public static let fieldsBytes = 1 << 20
    /// The size of a record's fields and clocks together, in bytes.
    public static let recordBytes = 2 << 20
    /// The size of a request's body, in bytes.
    public static let bodyBytes = 8 << 20
    /// The size of a body about accounts and sessions, some of which are unauthenticated, in bytes.
    public static let accountBodyBytes = 64 << 10
    /// The number of values in a request's body, counted at every depth: small values need much more memory than their
    /// text.
    public static let bodyValues = 200_000
    /// The size of the records that one request may change, counted before and after the change, in bytes.
    public static let changedBytes = 16 << 20
    /// The length of a password in bytes of UTF-8.
    public static let passwordBytes = 8...1_024
    /// The least length of a new password in characters, which are Unicode scalars of its normal form (NFC), as NIST
    /// SP 800-63B-4, section 3.1.1.2, counts them. Passwords of earlier versions may have fewer.
    public static let passwordCharacters = 8
    /// The longest time until an app password expires, in seconds: ten years of 365 days.
    public static let appPasswordSeconds: Int64 = 10 * 365 * 86_400
    /// The length of the path of a Unix socket in bytes: what Apple's systems and swift-nio accept. Linux would accept
    /// 107 (unix(7)).
    package static let socketPathBytes = 103
}

/// The sizes of answers. Each limit is larger than the one before, so that everything a server stores can be received.
extension Limits {
    // In Swift `<<` binds more tightly than `+`: `+ 1 << 10` adds 1 KiB, and `+ mutations << 10` 1 KiB for each mutation.

    /// A record on the wire: its fields and clocks, and the other members: names of at most 64 bytes, and numbers.
    public static let recordOnWire = recordBytes + 1 << 10
    /// A page of changes, of records or of revisions: it ends with the record that exceeds `pageBytes`.
    public static let largestPage = pageBytes + recordOnWire + 1 << 10
    /// The records of conflicts in the results of a push: they end with the record that exceeds `pageBytes`.
    public static let largestConflicts = pageBytes + recordOnWire
    /// The answer to a push: a page, the records of conflicts, the clocks of applied mutations, and the other members
    /// of each result. The problem of a rejected mutation has a few hundred bytes.
    public static let largestPushAnswer = largestPage + largestConflicts + changedBytes + mutations << 10
    /// The largest answer that a client receives as a whole; a larger one ends the exchange.
    public static let largestAnswer = 64 << 20
    /// The largest record that a client receives from a server with other limits; a larger one is omitted and named.
    public static let largestReceivedRecord = 16 << 20
}
