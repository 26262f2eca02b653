// swift-tools-version: 6.2
import PackageDescription

/// The path of libFuzzer's library without its `main`: Tests/fuzz sets it. Then our own modules report to libFuzzer which of
/// their branches an input reaches, and the command `fuzz` is built.
let fuzzer = Context.environment["SATCHEL_FUZZER"]

let house: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ] + (fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer"])])

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP2 = Target.Dependency.product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioLocks = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let toml = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

/// A module of ours: its sources in `Sources/<name>`.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

/// The tests of a module, in `Tests/<folder>`, or in another folder of `Tests`.
func tests(
    _ folder: String, _ dependencies: [Target.Dependency], in place: String? = nil, exclude: [String] = []
) -> Target {
    .testTarget(
        name: folder + "Tests", dependencies: dependencies, path: "Tests/\(place ?? folder)", exclude: exclude,
        swiftSettings: house)
}

let package = Package(
    name: "satchel",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "satchel", targets: ["satchel"]),
        .executable(name: "satcheld", targets: ["satcheld"]),
        .library(name: "ControllerKit", targets: ["ControllerKit"]),
        .library(name: "CanonicalJSON", targets: ["CanonicalJSON"]),
        .library(name: "TextMerge", targets: ["TextMerge"]),
        .library(name: "Markdown", targets: ["Markdown"]),
        .library(name: "Records", targets: ["Records"]),
        .library(name: "Interchange", targets: ["Interchange"]),
        .library(name: "SyncAPI", targets: ["SyncAPI"]),
        .library(name: "Backend", targets: ["Backend"]),
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "LocalStore", targets: ["LocalStore"]),
        .library(name: "PrivateFiles", targets: ["PrivateFiles"]),
        .library(name: "TOMLText", targets: ["TOMLText"]),
        .library(name: "SyncEngine", targets: ["SyncEngine"]),
        .library(name: "Notebook", targets: ["Notebook"]),
        .library(name: "Controllers", targets: ["Controllers"]),
        .library(name: "SafeText", targets: ["SafeText"]),
        .library(name: "Terminal", targets: ["Terminal"]),
        .library(name: "LineView", targets: ["LineView"]),
        .library(name: "JSONLinesView", targets: ["JSONLinesView"]),
        .library(name: "MCPView", targets: ["MCPView"]),
        .library(name: "WebPageView", targets: ["WebPageView"]),
        .library(name: "SatchelApp", targets: ["SatchelApp"]),
        .library(name: "SatchelScreens", targets: ["SatchelScreens"]),
        .library(name: "ServerCore", targets: ["ServerCore"]),
        .library(name: "SQLiteServerStore", targets: ["SQLiteServerStore"]),
        .library(name: "PostgreSQLServerStore", targets: ["PostgreSQLServerStore"]),
        .library(name: "SatcheldApp", targets: ["SatcheldApp"]),
        .library(name: "TestSupport", targets: ["TestSupport"]),
    ],
    traits: [
        .trait(name: "PostgreSQL", description: "The store for several server processes over one PostgreSQL (libpq)."),
        .default(enabledTraits: ["PostgreSQL"]),
    ],
    dependencies: [
        .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["JSON"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // Pure
        module("SafeText"),
        module("ControllerKit", ["SafeText"]),
        module("CanonicalJSON"),
        module("TextMerge"),
        module("Records", ["CanonicalJSON", "TextMerge", crypto]),
        module("SyncAPI", ["Records"]),
        module("Interchange", ["Records"]),
        module("Manual"),
        .systemLibrary(
            name: "CMarkGFM", pkgConfig: "libcmark-gfm",
            providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
        module("Markdown", ["CMarkGFM", "Locking"]),
        module("PrivateFiles"),
        module("Locking"),
        module("SQLiteRows", [grdb]),
        module("TOMLText", [toml]),

        // Client
        module("Backend", ["SyncAPI", "Records", "Locking"]),
        .systemLibrary(
            // Without `pkgConfig`, which would link libcurl: it is loaded at its first use.
            name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        module("CurlTransport", ["Backend", "Locking", "CCurl"]),
        module("LocalStore", ["Records", "Backend", "PrivateFiles", "Locking", "SQLiteRows", grdb]),
        module("Notebook", ["TextMerge", "Records", "LocalStore", "Interchange"]),
        module("SyncEngine", ["Records", "SyncAPI", "Backend", "LocalStore"]),
        module(
            "Controllers",
            [
                "ControllerKit", "TextMerge", "Records", "Notebook", "SyncAPI", "Backend", "LocalStore", "SyncEngine",
                "Interchange", "PrivateFiles", "Locking",
            ]),
        module("Processes", ["PrivateFiles", subprocess]),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CLibedit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
        module("Terminal", ["SafeText", "PrivateFiles", "Locking", "CLibedit", subprocess]),
        module("LineView", ["ControllerKit", "Terminal", "TextMerge", "Manual", "SafeText"]),
        module("JSONLinesView", ["ControllerKit", "CanonicalJSON"]),
        module("MCPView", ["ControllerKit", "CanonicalJSON", "SafeText"]),
        .target(
            name: "WebPageView",
            dependencies: [
                "ControllerKit", "SafeText", "PrivateFiles", crypto, hummingbird, httpTypes, logging,
                lifecycle, mustache, nio,
            ],
            resources: [.embedInCode("Assets")], swiftSettings: house),
        .target(
            name: "SatchelScreens",
            dependencies: [
                "ControllerKit", "Controllers", "Records", "SafeText", "Terminal", "LineView", "WebPageView", "Manual",
                "Markdown",
            ],
            resources: [.embedInCode("Assets")], swiftSettings: house),
        module(
            "SatchelApp",
            [
                "ControllerKit", "Records", "Notebook", "Backend", "CurlTransport", "LocalStore", "SyncEngine",
                "Controllers", "SafeText", "Terminal", "LineView", "JSONLinesView", "MCPView", "WebPageView",
                "SatchelScreens", "Processes", "Manual", "PrivateFiles", "Locking", "TOMLText", "CMalloc",
                argumentParser,
            ]),
        .executableTarget(
            name: "satchel", dependencies: ["SatchelApp"], path: "Client", exclude: ["Package", "quickstart", "Tour"],
            swiftSettings: house,
            // Each command is a process. A program at a fixed address needs no relocation of its 140,000 pointers, which
            // takes a third of the start-up time. The price: its own code isn't at a random address; libraries, heap and
            // stack are. Without exported symbols, the loader looks fewer up.
            linkerSettings: [
                .unsafeFlags(
                    ["-Xclang-linker", "-no-pie", "-Xlinker", "--no-export-dynamic"],
                    .when(platforms: [.linux], configuration: .release))
            ]),

        // Server
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "ServerCore",
            dependencies: [
                "SyncAPI", "Records", "CArgon2", "CMalloc", "CZlib", hummingbird, hummingbirdCore, hummingbirdHTTP2,
                httpTypes, nio, nioPosix, nioHTTP1, nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP2, nioSSL, nioTLS, nioLocks,
                crypto, logging, metrics, lifecycle, signals,
            ],
            resources: [.embedInCode("Assets")], swiftSettings: house),
        module(
            "SQLiteServerStore",
            ["ServerCore", "SyncAPI", "Records", "PrivateFiles", "SQLiteRows", grdb, sqlite, nioLocks, metrics]),
        .systemLibrary(
            // Without `pkgConfig`, which would link libpq: it is loaded at its first use.
            name: "CPostgreSQL", providers: [.apt(["libpq-dev"])]),
        module("PostgreSQLServerStore", ["CPostgreSQL", "ServerCore", "SyncAPI", "Records", nioLocks, metrics]),
        module(
            "SatcheldApp",
            [
                "ServerCore", "SQLiteServerStore",
                .target(name: "PostgreSQLServerStore", condition: .when(traits: ["PostgreSQL"])), "SyncAPI", "Records",
                "TextMerge", "Manual", "PrivateFiles",
                "SafeText", argumentParser, configuration, logging, metrics, nio, lifecycle, signals,
            ]),
        .executableTarget(
            name: "satcheld", dependencies: ["SatcheldApp"], path: "Server",
            exclude: ["Package", "cluster", "fail2ban", "grafana"], swiftSettings: house),

        // Tests
        .executableTarget(
            name: "Yardstick", dependencies: [grdb], path: "Tests/Benchmarks/Yardstick", swiftSettings: house),
        .executableTarget(
            name: "YardstickServer", dependencies: [hummingbird, httpTypes, logging, nio],
            path: "Tests/Benchmarks/YardstickServer", swiftSettings: house),
        .executableTarget(
            name: "MergeTexts", dependencies: ["Records"], path: "Tests/Benchmarks/MergeTexts", swiftSettings: house),
        module(
            "TestSupport",
            [
                "ControllerKit", "Terminal", "Records", "SyncAPI", "Backend", "LocalStore", "SyncEngine", "Controllers",
                "ServerCore", "SQLiteServerStore", "Locking", hummingbird, lifecycle, logging, nioLocks, subprocess,
            ]),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Backend", "CanonicalJSON", "ControllerKit", "Controllers", "CurlTransport", "Interchange",
                "JSONLinesView", "LocalStore", "Markdown", "MCPView", "Notebook", "PostgreSQLServerStore", "Records",
                "SafeText", "ServerCore", "SyncAPI", "SyncEngine", "Terminal", "TOMLText", "WebPageView",
            ], path: "Tests/Fuzzing/Targets", swiftSettings: house),
        tests("Fuzzing", ["FuzzTargets", "TestSupport"], in: "Fuzzing/Tests"),
        tests("CanonicalJSON", ["CanonicalJSON", "TestSupport"]),
        tests("TextMerge", ["TextMerge", "TestSupport"], exclude: ["Histories"]),
        tests("Records", ["Records", "TestSupport"], exclude: ["Types/Repeating/dateutil.json"]),
        .executableTarget(
            name: "recur", dependencies: ["Records"], path: "Tests/Recurrence/Command", swiftSettings: house),
        tests("SyncAPI", ["SyncAPI", "Records"]),
        tests("Interchange", ["Interchange", "Records", "TestSupport"]),
        tests(
            "Backend", ["Backend", "Locking", "SyncAPI", "Records", "TestSupport"], exclude: ["OlderServer"]),
        tests("CurlTransport", ["CurlTransport", "Backend", "Locking", "TestSupport"]),
        tests("ControllerKit", ["ControllerKit", "SafeText", "Terminal", "LineView", "JSONLinesView", "TestSupport"]),
        tests("JSONLinesView", ["ControllerKit", "JSONLinesView"]),
        tests("MCPView", ["CanonicalJSON", "ControllerKit", "MCPView", "SafeText"]),
        tests("Notebook", ["Notebook", "Records", "LocalStore", "Locking", "Interchange", "TestSupport", grdb]),
        tests(
            "Controllers",
            [
                "Controllers", "ControllerKit", "TextMerge", "Records", "Notebook", "SyncAPI", "Backend", "LocalStore",
                "SyncEngine",
                "Interchange", "Locking", "TestSupport",
            ]),
        tests("SafeText", ["SafeText"]),
        tests("Terminal", ["Terminal", "PrivateFiles"]),
        tests(
            "LineView",
            [
                "ControllerKit", "Controllers", "Records", "SafeText", "Terminal", "LineView", "SatchelScreens",
                "Manual", "TestSupport",
            ]),
        tests(
            "SatchelScreens",
            [
                "ControllerKit", "Controllers", "Markdown", "Records", "Terminal", "LineView", "WebPageView",
                "SatchelScreens", "Manual", "TestSupport",
            ], exclude: ["Lists"]),
        tests(
            "SatchelApp",
            [
                "CanonicalJSON", "ControllerKit", "Controllers", "LineView", "Manual", "Records", "SatchelApp",
                "Terminal", "TestSupport",
            ]),
        tests("Manual", ["Manual"]),
        tests("Markdown", ["Markdown"]),
        tests("PrivateFiles", ["PrivateFiles"]),
        tests("SQLiteRows", ["SQLiteRows", grdb]),
        tests("TOMLText", ["TOMLText"]),
        tests(
            "WebPageView",
            [
                "ControllerKit", "Controllers", "LocalStore", "Records", "WebPageView", "SatchelScreens", "TestSupport",
                hummingbird,
            ]),
        tests("Processes", ["Processes"]),
        tests(
            "LocalStore",
            ["LocalStore", "Backend", "Locking", "PrivateFiles", "Records", "SyncAPI", "TestSupport", grdb],
            exclude: ["Schemas"]),
        tests(
            "SyncEngine",
            ["SyncEngine", "LocalStore", "Backend", "Locking", "PrivateFiles", "Records", "SyncAPI", "TestSupport"]),
        .target(
            name: "CSimulatedDisk", path: "Tests/Simulation/CSimulatedDisk",
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "Simulation",
            dependencies: [
                "CSimulatedDisk", "Controllers", "SyncEngine", "LocalStore", "Backend", "Records", "SyncAPI",
                "ServerCore",
                "SQLiteServerStore", "TestSupport", logging,
            ], path: "Tests/Simulation/World", swiftSettings: house),
        .executableTarget(
            name: "simulate", dependencies: ["Simulation", argumentParser], path: "Tests/Simulation/Command",
            swiftSettings: house),
        tests("Simulation", ["Simulation"], in: "Simulation/Tests", exclude: ["Schedules"]),
        tests(
            "ServerCore",
            [
                "ServerCore", "SQLiteServerStore", "SyncAPI", "Records", "TestSupport", httpTypes, logging, metrics,
                nio, nioEmbedded, nioHPACK, nioHTTP1, nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP2, nioLocks,
            ], exclude: ["OlderClient"]),
        tests(
            "SatcheldApp",
            [
                "SatcheldApp", "ServerCore", "SQLiteServerStore", "Backend", "CurlTransport", "TestSupport",
                argumentParser, logging, lifecycle,
            ]),
        tests(
            "PostgreSQLServerStore", ["PostgreSQLServerStore", "ServerCore", "SyncAPI", "Records", "TestSupport"],
            exclude: ["Schemas"]),
        tests(
            "SQLiteServerStore", ["SQLiteServerStore", "ServerCore", "SyncAPI", "Records", "TestSupport", grdb],
            exclude: ["Schemas"]),
        tests(
            "Integration",
            [
                "Backend", "CurlTransport", "ServerCore", "SQLiteServerStore", "SyncAPI", "Records", "TestSupport",
            ]),
    ]
)

if let fuzzer {
    package.targets.append(
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Command", swiftSettings: house,
            linkerSettings: [.unsafeFlags(["-Xlinker", fuzzer]), .linkedLibrary("stdc++")]))
}
