import Backend
import Records
import ServerCore
import SyncAPI
import TestSupport

/// The model of live events: what each stream must have reported by when, on whichever process it is open
/// (SyncAPI.docc/Protocol.md, "Live"). It knows only requests, answers, streams, and the news that a process has.
///
/// A stream reports a write, and ends after its session, at once if its process knows of that. Otherwise it does so at
/// its next heartbeat.
///
/// Sendable: see `Loop`.
final class StreamWatch: @unchecked Sendable {
    private let loop: Loop
    private let onFault: (String) -> Void
    private var streams: [Int: Stream] = [:]
    /// The newest version of each space that was acknowledged to a device.
    private var newest: [String: Int64] = [:]

    /// The limit for a stream whose process knows what has happened, in milliseconds: several slow transactions.
    private static let promptness: Int64 = 3_000
    /// The time between two heartbeats, in milliseconds.
    private static let heartbeat: Int64 = 20_000

    private struct Stream {
        let device: String
        let place: Int
        var parser = EventStreamParser()
        /// The versions that it has reported.
        var versions: [String: Int64] = [:]
        var isSessionOver = false
    }

    init(_ loop: Loop, onFault: @escaping (String) -> Void) { (self.loop, self.onFault) = (loop, onFault) }

    /// Records what a process does.
    func note(_ event: ServerEvent, at place: Int) {
        switch event {
        case .opened(let id, let device): streams[id] = Stream(device: device, place: place)
        case .sent(let id, let piece): note(piece, of: id)
        case .ended(let id): streams[id] = nil
        case .answered(let request, let response, let device): note(request, response, of: device, at: place)
        case .learned(let news): note(news, at: place)
        }
    }

    /// The server was restored: the versions that it has assigned since are lost.
    func forgetVersions() { newest = [:] }

    private func note(_ piece: [UInt8], of id: Int) {
        // The client reports a stream that can't be parsed.
        for item in (try? streams[id]?.parser.items(completedBy: piece)) ?? [] {
            guard case .event(_, let data, let eventID) = item, let event = try? ChangeEvent(data: data, id: eventID)
            else { continue }
            streams[id]?.versions[event.space] = Cursor(event.cursor)?.position
        }
    }

    private func note(_ request: HTTPRequest, _ response: HTTPResponse, of device: String, at place: Int) {
        guard response.head.status < 300,
            let route = AuthenticatedRoute.table.route(method: request.method, path: request.path)
        else { return }
        switch route {
        case .pushChanges(let space):
            guard let version = response.lastVersion, version > newest[space] ?? 0 else { return }
            newest[space] = version
            expect([space: version], of: Array(streams.keys), within: Self.heartbeat)
        case .revokeDevice(let id): noteEnd(ofSessionsOf: id, at: place)
        case .logOut: noteEnd(ofSessionsOf: device, at: place)
        default: break
        }
    }

    private func noteEnd(ofSessionsOf device: String, at place: Int) {
        for id in streams.keys where streams[id]?.device == device { streams[id]?.isSessionOver = true }
        expect([:], of: streams(at: place), within: 0)
        expect([:], of: Array(streams.keys), within: Self.heartbeat)
    }

    private func note(_ news: StoreNews, at place: Int) {
        switch news {
        case .changed(let space, let version): expect([space: version], of: streams(at: place), within: 0)
        case .recheck: expect([:], of: streams(at: place), within: 0)
        case .anything: expect(newest, of: streams(at: place), within: 0)
        }
    }

    private func streams(at place: Int) -> [Int] { streams.keys.filter { streams[$0]?.place == place } }

    /// Checks later that those of the streams that are still open have reported these versions of the spaces that they
    /// report at all, and that the session of none is over already.
    private func expect(_ versions: [String: Int64], of ids: [Int], within limit: Int64) {
        if ids.isEmpty { return }
        let ended = Set(ids.filter { streams[$0]?.isSessionOver == true })
        loop.after(limit + Self.promptness) {
            for id in ids.sorted() {
                guard let stream = self.streams[id] else { continue }
                let name = "a stream of \(stream.device) at process \(stream.place)"
                if ended.contains(id) { self.onFault("\(name) is open although its session has ended") }
                for (space, version) in versions.sorted(by: { $0.key < $1.key }) {
                    guard let reported = stream.versions[space], reported < version else { continue }
                    self.onFault("\(name) has reported version \(reported), and not \(version)")
                }
            }
        }
    }
}

extension HTTPResponse {
    /// The newest version in the results of a push.
    fileprivate var lastVersion: Int64? {
        let results = (try? JSONValue(parsing: body))?.object?["results"]?.array ?? []
        return results.compactMap { $0.object?["version"]?.integer }.max()
    }
}
