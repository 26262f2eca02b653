import Testing

@testable import SQLiteServerStore
@testable import SatcheldApp

/// What `satcheld restore` says about who may come in.
@Suite struct RestoreOutputTests {
    private func lines(_ source: RestoredAccess.Source) -> [String] {
        var access = RestoredAccess(source: source, isCompared: true, signedInDevices: 1)
        access.renewedDevices = [.init(account: "ada", name: "phone")]
        return access.lines
    }

    @Test func nothingIsSaidOfADeviceThatStaysSignedIn() {
        #expect(lines(.previous) == [])
    }

    @Test(arguments: [(RestoredAccess.Source.previous, "stay set: emil"), (.backup, "those of the backup again: emil")])
    func accountsWithOtherLimitsAreNamed(_ source: RestoredAccess.Source, _ end: String) {
        var access = RestoredAccess(source: source, isCompared: true, signedInDevices: 1)
        access.changedLimits = ["emil"]
        #expect(access.lines.count == 1)
        #expect(access.lines.first?.hasSuffix(end) == true)
    }

    @Test func aDeviceThatHasToSignInOnceMoreIsNamed() throws {
        let line = try #require(lines(.backup).first)
        #expect(line.contains("have to sign in once more"))
        #expect(line.hasSuffix(": ada's phone"))
    }
}
