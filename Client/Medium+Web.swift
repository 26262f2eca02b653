import ControllerKit
import LineView
import Terminal
import WebPageView

extension Medium {
    /// A page in a browser on this machine.
    static let web = Medium(
        name: "web", purpose: "a page in a browser on this machine", takesCommand: true,
        isSession: { _, _ in true },
        converse: { conversation in
            let words = conversation.words.first == "web" ? conversation.words.dropFirst() : conversation.words[...]
            let order = try WebService.Order(Array(words))
            guard !order.isOff else {
                throw Failure(
                    .usage,
                    "`web off` ends the page of the prompt it is typed at. A page that `satchel web` serves ends with "
                        + "Ctrl-C where it was started.")
            }
            let service = try WebService(conversation)
            let lines = try await service.start(order, endsBySignals: true)
            try await conversation.terminal.write(lines.joined(separator: "\n") + "\n", to: .data)
            try await service.page.wait()
            return .ok
        }, besideLine: nil, command: WebService.command,
        companion: { conversation in
            let service = try WebService(conversation)
            return Companion(
                WebService.command,
                run: { words in
                    let order = try WebService.Order(words)
                    return order.isOff ? await service.stop() : try await service.start(order)
                }, end: { await service.page.stop() })
        })
}
