import Backend
import CCurl
import Foundation

/// libcurl's multi handle with its exchanges. It is used only on the loop's thread.
final class Worker {
    private let multi: UnsafeMutableRawPointer
    private var exchanges: [Transfer.ID: Exchange] = [:]

    init(multi: UnsafeMutableRawPointer, connectionsPerHost: Int) {
        self.multi = multi
        // Can't fail: the option exists since libcurl 7.30.
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    }

    func perform(_ command: CurlLoop.Command) {
        switch command {
        case .begin(let transfer): begin(transfer)
        case .resume(let id): exchanges[id]?.resume()
        case .cancel(let id): end(id) { $0.finish(TransportError(.cancelled)) }
        }
    }

    /// Does everything that is possible without waiting.
    func advance() {
        var running: Int32 = 0
        let code = ccurl_multi_perform(multi, &running)
        // An error of the multi handle belongs to no single exchange, so all of them fail.
        guard code == CURLM_OK else { return abandon(TransportError(.protocolViolation, detail: Self.text(code))) }
        reap()
        expire()
    }

    /// Waits for a socket, a time limit or a command.
    func wait() {
        let now = ContinuousClock.now
        let next = exchanges.values.compactMap(\.deadline).min().map { now.duration(to: $0) } ?? Self.longestWait
        var ready: Int32 = 0
        _ = ccurl_multi_poll(multi, Int32(min(next, Self.longestWait).wholeMilliseconds), &ready)
    }

    /// Ends all exchanges.
    func abandon(_ error: TransportError = TransportError(.cancelled, detail: "the transport was shut down")) {
        for id in exchanges.keys { end(id) { $0.finish(error) } }
    }

    /// Closes all connections and frees the handle, which must not be used afterwards.
    func cleanUp() { _ = ccurl_multi_cleanup(multi) }

    /// The longest wait for a wake-up, in case one is lost.
    private static let longestWait = Duration.seconds(60)

    private static func text(_ code: CURLMcode) -> String { String(cString: ccurl_multi_strerror(code)) }
}

extension Worker {
    private func begin(_ transfer: Transfer) {
        do throws(TransportError) {
            let exchange = try Exchange(transfer, sharing: mayShare(transfer))
            let code = ccurl_multi_add_handle(multi, exchange.easy)
            guard code == CURLM_OK else { throw TransportError(.protocolViolation, detail: Self.text(code)) }
            exchanges[transfer.id] = exchange
        } catch {
            transfer.receiver.finish(error)
        }
    }

    /// Whether a request may wait for a connection that is being established, to share it with HTTP/2.
    ///
    /// Not while a stream's connection is being established: libcurl 7.88 resumes a request that waits for it only when
    /// another exchange ends, so it could wait as long as the stream lasts. Plain http connections are not shared.
    private func mayShare(_ transfer: Transfer) -> Bool {
        !transfer.isStream && transfer.request.url.lowercased().hasPrefix("https:")
            && !exchanges.values.contains { $0.transfer.isStream && !$0.hasHead }
    }

    /// Removes an exchange from libcurl, then notifies its receiver. An exchange that has ended is ignored.
    private func end(_ id: Transfer.ID, _ report: (Exchange) -> Void) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        // First, since libcurl has an unretained pointer to the exchange. Fails only for a handle that wasn't added.
        _ = ccurl_multi_remove_handle(multi, exchange.easy)
        report(exchange)
    }

    /// Ends the exchanges that libcurl has completed.
    private func reap() {
        var left: Int32 = 0
        while let message = ccurl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // Copied, since removing the handle invalidates the message (curl_multi_info_read(3)).
            let result = message.pointee.data.result
            var context: UnsafeMutableRawPointer?
            guard ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK,
                let exchange = Exchange.from(context)
            else { continue }
            end(exchange.transfer.id) { $0.finish(result) }
        }
    }

    /// Ends the exchanges without any transfer for too long.
    private func expire() {
        let now = ContinuousClock.now
        for (id, exchange) in exchanges {
            exchange.noteProgress()
            guard let deadline = exchange.deadline, deadline <= now else { continue }
            end(id) {
                $0.finish(TransportError(.timedOut, detail: "no byte was transferred for \(exchange.silence)"))
            }
        }
    }
}

/// A request with its options and the receiver of its answer, as the worker performs it.
struct Transfer: Sendable {
    typealias ID = UUID

    let id = UUID()
    let request: HTTPRequest
    let options: CurlTransport.Options
    let isStream: Bool
    let receiver: any Receiver
}

/// Receives an answer as it arrives. It is called on the loop's thread and must not block.
protocol Receiver: AnyObject, Sendable {
    /// Called once, before the body.
    func receive(_ head: HTTPHead)
    /// Called with the next piece of the decompressed body, which is valid only during the call.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Delivery
    /// Called once, as the last; nil: the answer is complete.
    func finish(_ error: TransportError?)
}

/// What a receiver did with a piece of a body.
enum Delivery {
    case all
    /// Nothing was consumed; libcurl passes the piece again after `CurlLoop.resume`.
    case notNow
    /// The piece exceeds the limit; the exchange fails.
    case tooLarge
}
