// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "square",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "satchel", path: "../../..")],
    targets: [
        .executableTarget(
            name: "square",
            dependencies: [
                .product(name: "ControllerKit", package: "satchel"),
                .product(name: "LineView", package: "satchel"),
                .product(name: "Terminal", package: "satchel"),
                .product(name: "JSONLinesView", package: "satchel"),
                .product(name: "WebPageView", package: "satchel"),
            ],
            path: "Sources"),
        .testTarget(
            name: "SquareTests",
            dependencies: [
                "square",
                .product(name: "Backend", package: "satchel"),
                .product(name: "CurlTransport", package: "satchel"),
                .product(name: "TestSupport", package: "satchel"),
            ],
            path: "Tests"),
    ]
)
