/// Which requests are accepted, before any session is looked up. Pure.
struct RequestRules {
    /// Where the page is: `127.0.0.1:8290`, and the other names of the same place.
    let authorities: Set<String>

    /// Why a request is refused; nil: it isn't.
    func refusal(of request: PageRequest) -> PageAnswer? {
        // Another name that resolves to this address (DNS rebinding) would give another site's page the same origin.
        guard let host = request.headers["host"]?.lowercased(), authorities.contains(host) else {
            return .text(421, "This page answers only at its own address.")
        }
        switch request.method {
        case "GET", "HEAD": return refusalOfReading(request)
        case "POST":
            return isFromHere(request, host) ? nil : .text(403, "This came from another page, and was refused.")
        default: return .text(405, "This can't be done with the page.")
        }
    }

    /// What another site embeds or fetches is refused. A link may be anywhere: who follows it comes without the cookie,
    /// which is `SameSite=Strict`, and sees how to go on.
    private func refusalOfReading(_ request: PageRequest) -> PageAnswer? {
        if request.headers["sec-fetch-mode"] == "navigate", request.headers["sec-fetch-dest"] == "document" {
            return nil
        }
        switch request.headers["sec-fetch-site"] {
        case nil, "same-origin", "none": return nil
        default: return .text(403, "This came from another page, and was refused.")
        }
    }

    /// Every browser names the origin of what changes something; who names none is none, and must know the form's token.
    private func isFromHere(_ request: PageRequest, _ host: String) -> Bool {
        if let origin = request.headers["origin"], origin.lowercased() != "http://" + host { return false }
        return ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"])
    }
}

extension RequestRules {
    /// Rules for a page at this port of the loopback address.
    init(port: Int) { authorities = ["127.0.0.1:\(port)", "localhost:\(port)"] }
}
