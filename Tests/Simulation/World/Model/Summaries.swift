import Backend
import Records
import struct Records.Record
import SyncEngine
import TestSupport

// How the story describes values.

extension Record? {
    var summary: String {
        guard let self else { return "gone" }
        return self.deleted ? "deleted" : self.fields.json
    }
}

extension HTTPRequest {
    /// The address without the server; the id of the only space is omitted.
    var summary: String {
        guard target.hasPrefix("/v1/spaces/") else { return target }
        return "/v1/spaces/…" + target.dropFirst("/v1/spaces/".count).drop { $0 != "/" }
    }
}

extension JSONObject {
    fileprivate var json: String { JSONValue.object(self).canonical }
}

extension Result where Failure == any Error {
    var summary: String {
        switch self {
        case .success(let report as SyncResult): report.summary
        case .success: "is done"
        case .failure(let error as BackendError): "failed: \(error.diagnostic)"
        case .failure(let error): "failed: \(error)"
        }
    }
}

extension SyncResult {
    fileprivate var summary: String {
        var parts = [
            (pulled, "pulled"), (pushed, "pushed"), (merged, "merged"), (revived, "revived"), (conflicts, "conflicts"),
            (rejected.count, "rejected"),
        ].filter { $0.0 > 0 }.map { "\($0.1) \($0.0)" }
        parts += fullReads.map { "read everything: \($0)" }
        return "synced: " + (parts.isEmpty ? "nothing new" : parts.joined(separator: ", "))
    }
}
