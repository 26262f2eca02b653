import Backend
import Foundation

/// What the loop is to carry out.
struct Order: Sendable {
    typealias ID = UUID

    let id = UUID()
    let request: HTTPRequest
    let options: CurlTransport.Options
    let isStream: Bool
    let receiver: any Receiver
}

/// Receives an answer as it arrives. Called on the loop's thread, and never waits.
protocol Receiver: AnyObject, Sendable {
    /// Comes once, before the body.
    func take(_ head: HTTPHead)
    /// The next piece of the body, decompressed; valid only during the call.
    func take(_ bytes: UnsafeRawBufferPointer) -> Taken
    /// Comes last, and once; nil: the answer is whole.
    func finish(_ error: TransportError?)
}

/// What became of a piece of a body.
enum Taken {
    case all
    /// Nothing was consumed; libcurl passes it again after `CurlLoop.resume`.
    case notNow
    /// It goes beyond the limit; the exchange is to fail.
    case tooLarge
}
