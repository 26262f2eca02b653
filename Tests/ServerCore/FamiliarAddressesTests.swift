import SyncAPI
import Testing

@testable import ServerCore

/// The bounds of the addresses that are kept in memory.
@Suite struct FamiliarAddressesTests {
    private func caller(_ account: String, scope: AccessScope? = nil) -> Caller {
        Caller(account: account, session: "s", device: "d", scope: scope)
    }

    private func address(_ number: Int) throws -> IPAddress { try #require(IPAddress("192.0.2.\(number)")) }

    @Test func anAccountKeepsTheAddressesThatWereUsedLast() throws {
        #expect(FamiliarAddresses.perAccount == 8)
        let familiar = FamiliarAddresses()
        for number in 1...FamiliarAddresses.perAccount { try familiar.note(address(number), of: caller("ada")) }
        #expect(try familiar.contains(address(1), of: "ada"))
        // The first one is used again, so the second is the one that was unused for the longest time.
        try familiar.note(address(1), of: caller("ada"))
        try familiar.note(address(FamiliarAddresses.perAccount + 1), of: caller("ada"))
        #expect(try familiar.contains(address(1), of: "ada"))
        #expect(try !familiar.contains(address(2), of: "ada"))
        for number in 3...FamiliarAddresses.perAccount + 1 {
            #expect(try familiar.contains(address(number), of: "ada"))
        }
    }

    @Test func oneAccountBeyondTheBoundForgetsTheOthers() throws {
        #expect(FamiliarAddresses.accounts == 20_000)
        let familiar = FamiliarAddresses()
        let home = try address(1)
        for number in 1...FamiliarAddresses.accounts { familiar.note(home, of: caller("account \(number)")) }
        #expect(familiar.contains(home, of: "account 1"))
        // An account that is known already needs no further place.
        try familiar.note(address(2), of: caller("account 1"))
        #expect(familiar.contains(home, of: "account 2"))
        familiar.note(home, of: caller("one more"))
        #expect(familiar.contains(home, of: "one more"))
        #expect(!familiar.contains(home, of: "account 1"))
        #expect(!familiar.contains(home, of: "account \(FamiliarAddresses.accounts)"))
        familiar.note(home, of: caller("account 1"))
        #expect(familiar.contains(home, of: "account 1"))
    }

    @Test func theAddressOfAnAppPasswordAndASharedOneAreNotNoted() throws {
        let familiar = FamiliarAddresses()
        try familiar.note(address(1), of: caller("ada", scope: .full))
        familiar.note(nil, of: caller("ada"))
        #expect(try !familiar.contains(address(1), of: "ada"))
    }
}
