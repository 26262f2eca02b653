import TestSupport
import Testing

@Suite("Programs that tests call")
struct HelperTests {
    @Test(
        "One that is missing is named with its Debian package",
        arguments: [
            ("nghttpd", "the program nghttpd is missing; on Debian: apt-get install nghttp2-server"),
            ("no-such-program", "the program no-such-program is missing"),
        ])
    func missing(name: String, message: String) {
        let error = #expect(throws: MissingProgram.self) {
            try TestProgram.path(of: name, on: "/nowhere")
        }
        #expect(error?.description == message)
    }

    @Test("One that fails says why")
    func failed() {
        let error = #expect(throws: HelperFailed.self) { try Helper.run("openssl", ["x509", "-in", "/nowhere/file"]) }
        #expect(error?.reason.contains("/nowhere/file") == true)
    }
}
