import ControllerKit
import Controllers
import WebPageView

enum LoginPage {
    /// Shows the forms for signing in and creating an account.
    static let renderer = WebRenderer(
        LoginScreen.self, title: "Sign in", place: .further, placed: ["login", "register"],
        content: { state, frame in frame.templates.html("login", LoginModel(state, frame)) })
}

/// The forms for the template `login`.
struct LoginModel {
    let who: String
    let isSignedIn: Bool
    let login: [FormModel]
    let register: [FormModel]
    let reset: [FormModel]

    init(_ state: LoginScreen.State, _ frame: PageFrame) {
        who = state.signedInAs ?? ""
        isSignedIn = state.signedInAs != nil
        let server = state.server.map { ["server": $0] } ?? [:]
        let name = state.username.isEmpty ? [:] : ["name": state.username]
        let values = server.merging(name) { $1 }
        login = [
            frame.form("login", values: values, without: ["reset", "code", "new-password"], submit: "Sign in")
        ].compactMap(\.self)
        reset = [
            frame.form(
                "login", id: "form-reset", fixed: [("reset", "true")], values: values, without: ["password"],
                submit: "Set the password")
        ].compactMap(\.self)
        register = [frame.form("register", values: server, submit: "Create the account")].compactMap(\.self)
    }
}
