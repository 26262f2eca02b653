// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "count",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "satchel", path: "../../..")],
    targets: [
        .target(name: "CountAPI", dependencies: [.product(name: "SyncAPI", package: "satchel")]),
        .target(name: "CountServer", dependencies: ["CountAPI", .product(name: "ServerCore", package: "satchel")]),
        .executableTarget(
            name: "count-service",
            dependencies: [
                "CountServer",
                .product(name: "ServerCore", package: "satchel"),
                .product(name: "SQLiteServerStore", package: "satchel"),
            ],
            path: "Sources/CountService"),
        .testTarget(
            name: "CountTests",
            dependencies: [
                "CountAPI", "CountServer",
                .product(name: "Backend", package: "satchel"),
                .product(name: "TestSupport", package: "satchel"),
            ],
            path: "Tests"),
    ]
)
