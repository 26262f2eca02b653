import ServerCore

/// The news between the processes of a server, at least as bad as PostgreSQL delivers them: late, in another order, of a
/// space only the newest, and lost with a connection. A process whose connection was lost receives
/// `StoreNews.anything` once it is connected again; what a killed process hadn't sent is lost without a notice.
///
/// Sendable: see `Loop`.
final class NewsNetwork: @unchecked Sendable {
    private let loop: Loop
    private let luck: RandomSource
    /// The connections by the numbers of their processes.
    private var connections: [Int: Connection] = [:]
    /// The news under way.
    private var messages: [Message] = []
    private var lastNumber = 0
    /// Called with each piece of news that a process has announced, or that reaches it.
    var onKnown: (StoreNews, Int) -> Void = { _, _ in }

    /// The longest time until news arrive, in milliseconds.
    private static let latency = 2_000
    /// The longest time until a lost connection is established again, in milliseconds.
    private static let reconnection = 3_000

    private struct Connection {
        let number: Int
        let receive: @Sendable (StoreNews) -> Void
        var isLost = true
    }

    private struct Message {
        let number: Int
        let sender: Int
        let receiver: Int
        var news = PendingNews()
    }

    init(_ loop: Loop, _ luck: RandomSource) { (self.loop, self.luck) = (loop, luck) }

    /// Sends news to all other processes.
    func announce(_ news: StoreNews, by sender: Int) {
        onKnown(news, sender)
        for receiver in connections.keys.sorted() where receiver != sender { send(news, from: sender, to: receiver) }
    }

    /// Connects a process, which receives news until it disconnects.
    func connect(_ place: Int, _ receive: @escaping @Sendable (StoreNews) -> Void) -> any StoreNewsReceiving {
        let number = next()
        connections[place] = Connection(number: number, receive: receive)
        establish(place, number, within: 50)
        return Receiving()
    }

    /// A process is dead: it receives nothing any more, and what it hadn't sent is lost.
    func disconnect(_ place: Int) {
        connections[place] = nil
        messages.removeAll { $0.sender == place || $0.receiver == place }
    }

    /// A process receives until it disconnects, which happens when it dies.
    private final class Receiving: StoreNewsReceiving {}

    private func next() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func send(_ news: StoreNews, from sender: Int, to receiver: Int) {
        // Half of the time it joins those that wait.
        if let waiting = messages.lastIndex(where: { $0.sender == sender && $0.receiver == receiver }),
            luck.below(2) == 0
        {
            return messages[waiting].news.add(news)
        }
        var message = Message(number: next(), sender: sender, receiver: receiver)
        message.news.add(news)
        messages.append(message)
        loop.after(Int64(luck.below(luck.below(4) == 0 ? Self.latency : 40))) { self.deliver(message.number) }
    }

    private func deliver(_ number: Int) {
        guard let index = messages.firstIndex(where: { $0.number == number }) else { return }
        let message = messages.remove(at: index)
        guard let connection = connections[message.receiver], !connection.isLost else { return }
        if luck.below(8) == 0 { return lose(message.receiver, connection.number) }
        for news in message.news.all { deliver(news, to: message.receiver, connection) }
    }

    private func deliver(_ news: StoreNews, to place: Int, _ connection: Connection) {
        onKnown(news, place)
        connection.receive(news)
    }

    /// A connection is lost with all that is under way to it.
    private func lose(_ place: Int, _ number: Int) {
        connections[place]?.isLost = true
        messages.removeAll { $0.receiver == place }
        establish(place, number, within: Self.reconnection)
    }

    private func establish(_ place: Int, _ number: Int, within limit: Int) {
        loop.after(Int64(luck.below(limit))) {
            guard let connection = self.connections[place], connection.number == number else { return }
            self.connections[place]?.isLost = false
            // Also the first time: others may have committed since the first streams were opened.
            self.deliver(.anything, to: place, connection)
        }
    }
}
