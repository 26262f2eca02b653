import Foundation
import FuzzTargets

// Gives a target the inputs that libFuzzer makes. `Tests/fuzz` calls it:
//
//     FUZZ_TARGET=NAME fuzz [libFuzzer's options and directories of inputs]
//     fuzz --list
//
// The target is no argument: to merge inputs, libFuzzer starts its program again with arguments of its own.

/// libFuzzer's own driver, which parses its options and calls `target` with each input (LLVM, `FuzzerDriver.cpp`). It is
/// called instead of defining `LLVMFuzzerTestOneInput`, so that one program has all targets.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@main
enum Fuzz {
    @MainActor static var target: FuzzTarget?

    @MainActor static func main() {
        if CommandLine.arguments.dropFirst().first == "--list" { return FuzzTarget.all.forEach { print($0.name) } }
        guard let target = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap(FuzzTarget.named) else {
            FileHandle.standardError.write(Data("fuzz: FUZZ_TARGET has to be the name of a target; see --list\n".utf8))
            exit(2)
        }
        self.target = target
        var count = CommandLine.argc
        var pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            runDriver(&count, &pointer) { bytes, count in
                let input = Array(UnsafeBufferPointer(start: bytes, count: count))
                // libFuzzer calls this on the thread that called its driver, the main one.
                return MainActor.assumeIsolated { Fuzz.check(input) }
            })
    }

    @MainActor static func check(_ input: [UInt8]) -> CInt {
        do { try target?.check(input) } catch {
            // libFuzzer keeps the input of a program that aborts.
            FileHandle.standardError.write(Data("violation: \(error)\n".utf8))
            abort()
        }
        return 0
    }
}
