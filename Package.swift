// swift-tools-version: 6.2
// One daemon, `shorty`, built from small modules that each know one thing. Which module may import which is drawn in
// Sources/Shorty/Shorty.docc/Shorty.md; the compiler holds it through the dependency lists below.
import PackageDescription

/// Every Swift target of the package is built with the same strictness.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),
]

/// For the modules on a redirect's way. Exclusive access to class properties is checked at run time in every debug build and
/// test; in the release build the checks would be a quarter of a redirect's instructions.
let hotPath = strict + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

/// The release executables carry the Swift runtime inside: half the memory of the dynamic one, and one file to copy. Debug ones
/// do not, because the flags reach the test bundle too, and the testing library exists only for the dynamic runtime.
/// Linked by lld, which does not warn of the mktemp(3) that FoundationEssentials has and nothing here calls.
/// Its relative relocations are packed (DT_RELR, glibc 2.36), or a megabyte of them would be read at each start. No symbol is
/// exported, because nothing loads the program as a library: a quarter of a megabyte.
/// The two libraries are what FoundationEssentials' archive leaves open; the compiler names them itself only where the modules
/// too are compiled for a static runtime. All of Foundation would bring ICU's 30 MB with it, so no target of the
/// daemon imports that.
let selfContained: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
            "-Xlinker", "--no-export-dynamic",
        ],
        .when(configuration: .release)),
    .linkedLibrary("_FoundationCollections", .when(configuration: .release)),
    .linkedLibrary("_FoundationCShims", .when(configuration: .release)),
]

/// The same for the client's command. It brings all of Foundation, ICU too, and its network half, which rests on the system's
/// libcurl: named in full, so that it links where only the library is and not its headers.
let selfContainedClient: [LinkerSetting] =
    [.unsafeFlags(["-static-stdlib", "-use-ld=lld"], .when(platforms: [.linux], configuration: .release))]
    + [
        "CoreFoundation", "_CFURLSessionInterface", "FoundationInternationalization", "_FoundationICU",
        "_FoundationCollections", "_FoundationCShims", "swiftSynchronization", ":libcurl.so.4",
    ].map { .linkedLibrary($0, .when(platforms: [.linux], configuration: .release)) }

let package = Package(
    name: "shorty",
    // For SqueezeKit in apps; the daemon itself is for Linux.
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "shorty", targets: ["Shorty"]),
        .executable(name: "squeeze", targets: ["Squeeze"]),
        .library(name: "SqueezeKit", targets: ["SqueezeKit"]),
    ],
    targets: [
        .target(name: "CLinux", path: "Sources/System/CLinux"),
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CPageCache", dependencies: ["CSQLite"], path: "Sources/System/CPageCache"),
        .systemLibrary(name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // Loads ICU (libicu-dev) when a name needs it.
        .target(name: "CIDNA", path: "Sources/System/CIDNA"),
        .target(name: "Assets", exclude: ["web"], cSettings: [.unsafeFlags(["-std=gnu2x"])]),

        .target(name: "Telemetry", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "Configuration", dependencies: ["Telemetry"], swiftSettings: strict),
        .target(name: "HTTP", dependencies: ["CLinux", "COpenSSL", "CZlib", "Telemetry"], swiftSettings: hotPath),
        .target(name: "Shortening", dependencies: ["Telemetry", "CLinux", "COpenSSL", "CIDNA"], swiftSettings: hotPath),
        .target(
            name: "SQLiteStore", dependencies: ["Shortening", "Telemetry", "CSQLite", "CPageCache", "Assets", "CLinux"],
            swiftSettings: strict),
        .target(name: "JSON", swiftSettings: hotPath),
        .target(name: "Transfer", dependencies: ["JSON", "Shortening", "Telemetry"], swiftSettings: hotPath),
        .target(
            name: "Web", dependencies: ["HTTP", "JSON", "Shortening", "Telemetry", "Assets", "CZlib"],
            swiftSettings: hotPath
        ),
        .executableTarget(
            name: "Shorty",
            dependencies: [
                "Configuration", "HTTP", "JSON", "Shortening", "SQLiteStore", "Transfer", "Web", "Telemetry", "CLinux",
            ],
            swiftSettings: strict, linkerSettings: selfContained),

        .target(
            name: "MemoryStore", dependencies: ["Shortening", "Telemetry"], path: "Tests/MemoryStore", swiftSettings: strict
        ),
        .executableTarget(
            name: "redirect-instructions", dependencies: ["HTTP", "MemoryStore", "Shortening", "Telemetry", "Web"],
            path: "Tests/Benchmarks/Instructions", swiftSettings: strict),
        .target(name: "Packing", dependencies: ["CZlib"], path: "Tests/Packing", swiftSettings: strict),
        .target(name: "Sanitizer", path: "Tests/Sanitizer", swiftSettings: strict),
        .target(name: "SocketClient", path: "Tests/SocketClient", swiftSettings: strict),
        .target(name: "FaultyDisk", dependencies: ["CSQLite"], path: "Tests/FaultyDisk"),
        .target(name: "SqueezeKit", swiftSettings: strict),
        .executableTarget(
            name: "Squeeze", dependencies: ["SqueezeKit"], swiftSettings: strict, linkerSettings: selfContainedClient),

        .testTarget(name: "TelemetryTests", dependencies: ["Telemetry"], swiftSettings: strict),
        .testTarget(name: "ConfigurationTests", dependencies: ["Configuration", "Telemetry"], swiftSettings: strict),
        .testTarget(name: "ShortyTests", dependencies: ["Shorty", "Telemetry", "Web"], swiftSettings: strict),
        .testTarget(
            name: "HTTPTests", dependencies: ["HTTP", "Telemetry", "CLinux", "Packing", "Sanitizer", "SocketClient"],
            exclude: ["Corpus"],
            swiftSettings: strict),
        .testTarget(name: "EndToEndTests", dependencies: ["Sanitizer", "Shorty", "SqueezeKit"], swiftSettings: strict),
        .testTarget(
            name: "TLSTests",
            dependencies: ["HTTP", "Telemetry", "COpenSSL", "CLinux", "Sanitizer", "SocketClient", "Shorty", "Squeeze"],
            swiftSettings: strict),
        .testTarget(
            name: "ShorteningTests", dependencies: ["Shortening", "MemoryStore", "Sanitizer", "Telemetry"],
            exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "WebTests", dependencies: ["Web", "HTTP", "Shortening", "Telemetry", "MemoryStore", "SocketClient"],
            swiftSettings: strict),
        .testTarget(
            name: "SqueezeTests", dependencies: ["HTTP", "SQLiteStore", "Shortening", "Telemetry", "Web"],
            swiftSettings: strict),
        .testTarget(
            name: "SqueezeKitTests", dependencies: ["Sanitizer", "SqueezeKit"], exclude: ["Fixtures"], swiftSettings: strict
        ),
        .testTarget(
            name: "TransferTests", dependencies: ["Transfer", "SQLiteStore", "Shortening"], swiftSettings: strict),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: ["SQLiteStore", "Shortening", "CPageCache", "CSQLite", "FaultyDisk", "Sanitizer"],
            swiftSettings: strict),
        .testTarget(
            name: "CollectionTests",
            dependencies: [
                "Configuration", "HTTP", "Shortening", "Shorty", "SQLiteStore", "Web", "Telemetry", "CZlib", "SocketClient",
            ],
            swiftSettings: strict),
    ]
)

// The fuzzers are in the package only for config/fuzz, which builds everything they try with the instruments that they need.
if Context.environment["SHORTY_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "LibFuzzer", path: "Tests/Fuzz/LibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["Configuration", "HTTP", "JSON", "Packing", "Shortening", "Transfer", "Web", "LibFuzzer"],
            path: "Tests/Fuzz", exclude: ["Corpus", "Dictionaries", "LibFuzzer", "README.md"], swiftSettings: strict,
            // The system's linker does not get through AddressSanitizer's debug information.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]),
    ]
}
