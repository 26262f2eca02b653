/// A body that comes piece by piece for as long as somebody reads it. What it holds is given free when it is released.
public struct BodyStream: Sendable {
    /// The next piece, once there is one; nil at the end and when the asking task is cancelled. To be asked by one task at
    /// a time; nothing is made before it is asked for, so a slow reader holds nobody up.
    public let next: @Sendable () async -> [UInt8]?
    /// Ends the stream soon, from any task: a piece that is being waited for becomes nil.
    public let end: @Sendable () -> Void

    /// A stream of these parts.
    public init(next: @escaping @Sendable () async -> [UInt8]?, end: @escaping @Sendable () -> Void) {
        self.next = next
        self.end = end
    }
}
