/// A body that is produced piece by piece while it is read. Its resources are freed when it is released.
public struct BodyStream: Sendable {
    /// The next piece, once there is one; nil at the end and when the calling task is cancelled. Only one task may
    /// call it at a time. Nothing is produced before it is called, so a slow reader delays no other.
    public let next: @Sendable () async -> [UInt8]?
    /// Ends the stream soon, from any task: a piece that is being waited for becomes nil.
    public let end: @Sendable () -> Void

    /// A stream of these parts.
    public init(next: @escaping @Sendable () async -> [UInt8]?, end: @escaping @Sendable () -> Void) {
        self.next = next
        self.end = end
    }
}
