/// The handler for live events.
extension SyncServer {
    func streamEvents(_ request: ServerRequest, _ caller: Caller) throws -> ServerAnswer {
        let stream = try events.open(caller, lastEventID: request.header("Last-Event-ID"))
        return ServerAnswer(
            status: 200,
            headers: [
                ("Content-Type", "text/event-stream"),
                // Proxies such as nginx would hold events back otherwise.
                ("X-Accel-Buffering", "no"),
            ], stream: stream)
    }
}
