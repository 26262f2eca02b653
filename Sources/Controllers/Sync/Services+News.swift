internal import LocalStore
internal import SyncEngine

extension Services {
    /// What is still to be told of syncs that nobody asked for: now and whenever there is more, each once, whichever process
    /// asks first. Ends with the reading task.
    public func news() -> AsyncStream<String> {
        AsyncStream { continuation in
            let watch = Task {
                for await _ in store.changes() {
                    // What can't be read now is told later.
                    if let news = try? await tellNews() { continuation.yield(news) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// What is still to be told, in plain words, once; nil: nothing.
    public func tellNews() async throws -> String? {
        let sentences = try await takeNews().sentences
        return sentences.isEmpty ? nil : "Sync: " + sentences.joined(separator: " ")
    }

    /// What is still to be told; whoever takes it, tells it.
    func takeNews() async throws -> SyncNews {
        // Looking is no write, which would wake all who watch the cache.
        guard try await store.read({ try !$0.note().news.isEmpty }) else { return SyncNews() }
        return try await store.write { try $0.takeNews() }
    }
}
