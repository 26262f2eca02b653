internal import Foundation
internal import SyncAPI

/// The passwords that are refused although their length is right: those that are guessed first (NIST SP 800-63B-4,
/// section 3.1.1.2). There are no rules about the kinds of characters.
enum PasswordRules {
    /// Why a password is refused.
    enum Refusal: Equatable {
        /// It is one of the most common passwords, or one character repeated.
        case common
        /// It is the account's own name, repeated or with digits and punctuation around it.
        case username
        /// It is a name of the program or of the server, in the same forms.
        case service
    }

    /// Returns why a password isn't accepted for an account; nil if it is.
    ///
    /// - Parameters:
    ///   - username: The account's name, in lower case.
    ///   - names: The names of the software and of the server, in lower case.
    static func refusal(of password: Password, username: String, names: [String] = []) -> Refusal? {
        // Case doesn't make a common password rare.
        let text = Username.folded(String(decoding: password.bytes, as: UTF8.self))
        if isDerived(text, from: username) { return .username }
        if names.contains(where: { isDerived(text, from: $0) }) { return .service }
        let isRepeated = text.dropFirst().allSatisfy { $0 == text.first }
        return isRepeated || common.contains(text) ? .common : nil
    }

    /// Checks a new password of a request.
    ///
    /// - Parameters:
    ///   - text: The password.
    ///   - pointer: Its place in the body (RFC 6901), for the problem.
    ///   - username: The account's name, in lower case.
    ///   - names: The names of the software and of the server, in lower case.
    /// - Throws: `Problem` 422 if it is too short, too long or easily guessed.
    static func checked(
        _ text: String, at pointer: String, username: String, names: [String]
    ) throws(Problem) -> Password {
        let password = try Password(checking: text, at: pointer)
        switch refusal(of: password, username: username, names: names) {
        case nil: return password
        case .common:
            throw .invalidBody([
                BodyError(pointer, "is one of the most common ones, which are guessed first; choose another one")
            ])
        case .username:
            throw .invalidBody([BodyError(pointer, "is too similar to the user name; choose another one")])
        case .service:
            throw .invalidBody([
                BodyError(pointer, "is too similar to the name of the program or of the server; choose another one")
            ])
        }
    }

    /// Returns a host's name with its longer parts: of `notes.example.org`, also `notes` and `example`.
    ///
    /// - Parameter host: The name in lower case; nil: unknown.
    static func names(ofHost host: String?) -> [String] {
        guard let host else { return [] }
        return [host] + host.split(separator: ".").filter { $0.count > 3 }.map(String.init)
    }

    private static func isDerived(_ text: String, from username: String) -> Bool {
        if !username.isEmpty, text.replacingOccurrences(of: username, with: "").isEmpty { return true }
        let core = letters(text)
        return !core.isEmpty && core == letters(username)
    }

    /// Returns the text from its first to its last letter.
    private static func letters(_ text: String) -> Substring {
        guard let first = text.firstIndex(where: \.isLetter), let last = text.lastIndex(where: \.isLetter) else {
            return ""
        }
        return text[first...last]
    }

    /// The common passwords in lower case. Lines of the file that begin with `#` are its source and licence; no password
    /// of it begins so.
    private static let common: Set<String> = {
        let lines = PackageResources.common_passwords_txt.split(separator: UInt8(ascii: "\n"))
        return Set(lines.filter { $0.first != UInt8(ascii: "#") }.map { String(decoding: $0, as: UTF8.self) })
    }()

    /// Number of common passwords that are refused.
    static var commonCount: Int { common.count }
}
