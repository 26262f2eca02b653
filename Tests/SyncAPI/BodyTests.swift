import Foundation
import SyncAPI
import Testing

@Suite("Bodies on the wire")
struct BodyTests {
    private func again<Body: Codable>(_ body: Body) throws -> Body {
        try JSONDecoder().decode(Body.self, from: JSONEncoder().encode(body))
    }

    private func names(_ body: some Encodable) throws -> Set<String> {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(body))
        return Set(try #require(object as? [String: Any]).keys)
    }

    @Test("answers survive a round trip through their text")
    func answers() throws {
        let account = Account(id: "a", username: "u", personalSpace: "s")
        let grant = SessionGrant(
            account: account, device: .init(id: "d", name: "laptop"), accessToken: "x",
            accessTokenExpiresAt: WireMoment(milliseconds: 1), refreshToken: "y",
            refreshTokenExpiresAt: WireMoment(milliseconds: 2))
        #expect(try again(grant) == grant)
        let status = AccountStatus(
            account: account, usage: .init(records: 1, bytes: 2, devices: 3, streams: 4), quota: .init(bytes: 5))
        #expect(try again(status) == status)
        var ofAppPassword = status
        ofAppPassword.appPassword = AppPassword(scope: .full, expiresAt: WireMoment(milliseconds: 5))
        #expect(try again(ofAppPassword) == ofAppPassword)
        let (created, seen) = (WireMoment(milliseconds: 3), WireMoment(milliseconds: 4))
        let devices = DeviceList(
            devices: [.init(id: "d", name: "n", createdAt: created, lastSeenAt: seen, current: true)])
        #expect(try again(devices) == devices)
        let appPassword = AppPassword(scope: .readOnly, expiresAt: seen)
        let secret = AppPasswordGrant(device: .init(id: "d", name: "n"), appPassword: appPassword, secret: "s")
        #expect(try again(secret) == secret)
        let withAppPassword = DeviceList(
            devices: [
                .init(
                    id: "d", name: "n", createdAt: created, lastSeenAt: seen, current: false, appPassword: appPassword)
            ])
        #expect(try again(withAppPassword) == withAppPassword)
        let capabilities = Capabilities(
            name: "satchel", protocols: [1], capabilities: [], registration: .invite,
            limits: .init(bodyBytes: 1, fieldsBytes: 2, mutations: 3, pageRecords: 4))
        #expect(try again(capabilities) == capabilities)
    }

    @Test("a time is encoded as text, and a text of another form is decoded, too")
    func moments() throws {
        let moment = WireMoment(milliseconds: 1_500)
        #expect(try JSONBody.encode([moment]) == Array(#"["1970-01-01T00:00:01.500Z"]"#.utf8))
        #expect(moment.date?.timeIntervalSince1970 == 1.5)
        let others = try JSONBody.decode([WireMoment].self, from: Array(#"["1970-01-01T00:00:01Z", "soon"]"#.utf8))
        #expect(others.map(\.text) == ["1970-01-01T00:00:01Z", "soon"])
        #expect(others.map(\.date) == [Date(timeIntervalSince1970: 1), nil])
    }

    @Test("requests have the members that the protocol specifies")
    func requests() throws {
        #expect(
            try names(RegisterRequest(username: "u", password: "p", device: DeviceClaim(name: "n")))
                == ["username", "password", "device"])
        #expect(
            try names(RegisterRequest(username: "u", password: "p", device: DeviceClaim(name: "n"), invite: "i"))
                .contains("invite"))
        #expect(
            try names(LogInRequest(username: "u", password: "p", device: DeviceClaim(name: "n"))) == [
                "username", "password", "device",
            ])
        #expect(try names(DeviceClaim(name: "n", id: "i")) == ["name", "id"])
        let reset = ResetLogInRequest(username: "u", code: "c", newPassword: "p", device: DeviceClaim(name: "n"))
        #expect(try names(reset) == ["username", "code", "newPassword", "device"])
        #expect(
            try names(AppPasswordRequest(name: "n", scope: .full, expiresIn: 1, password: "p"))
                == ["name", "scope", "expiresIn", "password"])
        #expect(
            try names(AppPasswordRequest(name: "n", scope: .full, password: "p")) == ["name", "scope", "password"])
        #expect(try names(DeviceNameRequest(name: "n")) == ["name"])
        #expect(try names(SignOutRequest(includingThis: true)) == ["includingThis"])
        #expect(try names(RefreshRequest(refreshToken: "t")) == ["refreshToken"])
        #expect(
            try names(PasswordChangeRequest(currentPassword: "a", newPassword: "b")) == [
                "currentPassword", "newPassword",
            ])
        #expect(try names(AccountDeletionRequest(password: "p")) == ["password"])
    }

    @Test("the status of a server without quotas is decoded")
    func statusWithoutQuota() throws {
        let text = """
            {"account": {"id": "a", "username": "u", "personalSpace": "s"}, "usage": {"records": 1, "bytes": 2}}
            """
        let status = try JSONBody.decode(AccountStatus.self, from: Array(text.utf8))
        #expect(status.usage == .init(records: 1, bytes: 2))
        #expect(status.quota == nil)
        #expect(status.appPassword == nil)
    }

    @Test("the scopes of app passwords have the names of the protocol")
    func scopes() {
        #expect(AccessScope.allCases.map(\.rawValue) == ["read-only", "full"])
    }

    @Test("the limits are those of the protocol")
    func limits() {
        #expect(Limits.mutations == 1_000 && Limits.pageDefault == 1_000 && Limits.pageMaximum == 5_000)
        #expect(Limits.pageBytes == 4_194_304 && Limits.fieldsBytes == 1_048_576 && Limits.bodyBytes == 8_388_608)
    }
}
