import ControllerKit
import Controllers
import Foundation
import LocalStore
import Records
import SatchelScreens
import TestSupport

@testable import WebPageView

/// A browser without a screen or a socket. It keeps the cookie, and sends forms with the token of the page.
@MainActor
final class Browser {
    static let host = "127.0.0.1:8290"
    let site: Site
    private(set) var cookie: String?

    init(_ site: Site) { self.site = site }

    /// A browser that was signed in by a link.
    static func letIn(to site: Site) async throws -> Browser {
        let browser = Browser(site)
        let answer = await browser.get(site.makeLink())
        guard answer.status == 200 else { throw Failure(.failed, "The link was refused.") }
        return browser
    }

    func get(_ address: String, headers: [String: String] = [:]) async -> PageAnswer {
        await send("GET", address, headers: headers)
    }

    /// The page at an address.
    func page(_ address: String) async -> String { await get(address).text }

    /// Sends a form, as a browser does, with the token of a page.
    func post(
        _ path: String, _ fields: [(String, String)], at: String = "/list", csrf: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> PageAnswer {
        var token = csrf
        if token == nil { token = Self.token(in: await page("/undo?live=1")) }
        let body = Parameters([("csrf", token ?? ""), ("at", at)] + fields).encoded
        return await send("POST", path, body: body, headers: ["origin": "http://\(Self.host)"].merging(headers) { $1 })
    }

    /// The token of the forms of a page.
    func token(_ address: String) async -> String? { Self.token(in: await page(address)) }

    private func send(
        _ method: String, _ address: String, body: String = "", headers: [String: String]
    ) async -> PageAnswer {
        let parts = address.split(separator: "?", maxSplits: 1).map(String.init)
        let (known, bytes) = (cookie, Array(body.utf8))
        let answer = await site.answer(
            PageRequest(
                method: method, path: parts[0],
                query: Parameters(encoded: parts.count > 1 ? parts[1] : "") ?? Parameters(),
                headers: ["host": Self.host].merging(headers) { $1 },
                cookie: { [name = site.cookie] in $0 == name ? known : nil },
                body: { $0 < bytes.count ? nil : bytes }))
        if let set = answer.header("Set-Cookie"),
            let value = set.split(separator: ";").first?.split(separator: "=", maxSplits: 1).last
        {
            cookie = set.contains("Max-Age=0") ? nil : String(value)
        }
        return answer
    }

    private static func token(in page: String) -> String? {
        page.firstMatch(of: /name="csrf" value="([^"]+)"/).map { String($0.1) }
    }
}

extension PageAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? {
        (PageAnswer.usualHeaders + headers).last { $0.name == name }?.value
    }
}

/// A page over Satchel's screens with a cache in memory, and a session like the prompt's.
@MainActor
struct House {
    let services: Services
    let prompt: Coordinator
    let site: Site
    let clock: ManualClock

    /// - Parameters:
    ///   - isPlain: Whether the screens have no renderers.
    ///   - types: The record types of the program.
    ///   - isAlone: See `Site`.
    ///   - memory: See `Site`.
    init(
        isPlain: Bool = false, types: RecordTypes = .standard, isAlone: Bool = false, memory: PageMemory? = nil
    ) throws {
        let clock = ManualClock()
        let services = try Services.testing(clock: clock, types: types)
        let make = isPlain ? { try Catalog.standard($0) } : { try Catalog.satchel($0) }
        let (catalog, own) = (try make(services), try make(services.onTerminal("web")))
        let report: @MainActor (any Error) -> Void = { _ in }
        let prompt = Coordinator(catalog, report: report)
        self.prompt = prompt
        let start = ContinuousClock.now
        site = try Site(
            catalog, design: .satchel, common: { Coordinator(catalog, sharingWith: prompt, report: report) },
            own: { Coordinator(own, report: report) }, isAlone: isAlone, memory: memory,
            recording: { try await CommandReceipt.entry(madeBy: $0) }, now: { start + clock.now.sinceStart },
            date: { clock.date })
        site.listens(at: 8290)
        self.services = services
        self.clock = clock
    }

    /// The id of the one record that matches a filter.
    func id(of title: String) async throws -> String {
        let session = Coordinator(site.catalog) { _ in }
        defer { session.end() }
        try await session.perform("list", ["filter": .list(["all"])])
        let rows = (session.state(of: "list") as? ListScreen.State)?.rows ?? []
        guard let row = rows.first(where: { $0.title == title }) else { throw Failure(.notFound, title) }
        return row.id
    }
}
