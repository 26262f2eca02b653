import CountServer
import Foundation
import SQLiteServerStore
import ServerCore

// count-service DIRECTORY PORT: a server of Satchel's with one more endpoint.
let arguments = CommandLine.arguments.dropFirst()
let directory = URL(filePath: arguments.first ?? "count-data", directoryHint: .isDirectory)
let store = try await SQLiteServerStore.open(directory: directory)
let server = SyncServer(store: store, extensions: [CountExtension()])
try await server.run(host: "127.0.0.1", port: arguments.last.flatMap { Int($0) } ?? 8280) { port in
    print("listening on http://127.0.0.1:\(port)")
    fflush(nil)
}
try await store.shutDown()
