// swift-tools-version: 6.2
import PackageDescription

// The targets stand in the order in which a record travels: from a bot's store into shared memory, through the
// reader and the collector's series, to the bytes that leave. A target depends only on those above it.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// - Parameter embedded: Files whose bytes become part of the module, as `PackageResources.name_extension`.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], embedded: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, resources: embedded.map { .embedInCode($0) },
        swiftSettings: strict)
}

func command(_ name: String, _ dependencies: [Target.Dependency], embedded: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, resources: embedded.map { .embedInCode($0) }, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func system(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([debian])])
}

/// The files of the page that a browser gets, which are compiled into the collector.
let livePage = [
    "index.html", "page.css", "bot.js", "chart.js", "collector.js", "csv.js", "dom.js", "filter.js", "fleet.js",
    "history.js", "instrument.js", "keyboard.js", "model.js", "notice.js", "page.js", "router.js", "rules.js",
    "series.js", "stream.js", "table.js", "theme.js", "units.js", "words.js",
]

let package = Package(
    name: "Ringside",
    products: [
        .library(name: "Ringside", targets: ["Ringside"]),
        .library(name: "RingsideCatalogue", targets: ["RingsideCatalogue"]),
        .executable(name: "ringsided", targets: ["ringsided"]),
        .executable(name: "ringside", targets: ["RingsideTool"]),
        .executable(name: "ringside-demo", targets: ["ringside-demo"]),
        .executable(name: "ringside-bench", targets: ["ringside-bench"]),
    ],
    targets: [
        // The bot's side: links nothing but libc.
        .target(name: "CRingside", exclude: ["MEMORY_MODEL.md", "README.md"]),
        library("Ringside", ["CRingside"]),
        library("RingsideCatalogue", ["Ringside", "CRingside"]),

        // The collector's side.
        library("JSON"),
        .systemLibrary(name: "CMalloc"),
        library("Platform", ["CRingside", "JSON", "CMalloc"]),
        system("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
        library("RingReader", ["CRingside", "CZlib"], exclude: ["README.md"]),
        library("Sketch"),
        library("Series", ["Sketch"]),
        library("Rules", ["Series"]),
        library("Spelling"),
        library("Exposition", ["JSON", "Series", "Sketch", "CZlib"]),
        library("Configuration", ["RingsideCatalogue", "Rules", "Series", "Exposition", "Spelling"]),
        library(
            "Drain",
            [
                "CRingside", "Platform", "RingReader", "Sketch", "Series", "Rules", "Spelling", "Configuration",
                "Exposition",
            ]),
        system("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
        library("SQLite", ["Platform", "CSQLite"]),
        library("History", ["JSON", "Series", "Sketch", "Exposition", "SQLite", "CZlib"], exclude: ["README.md"]),
        system("CMicroHTTPD", pkgConfig: "libmicrohttpd", debian: "libmicrohttpd-dev"),
        system("CGnuTLS", pkgConfig: "gnutls", debian: "libgnutls28-dev"),
        system("CCrypt", pkgConfig: "libcrypt", debian: "libcrypt-dev"),
        library(
            "HTTP",
            [
                "CRingside", "Platform", "Configuration", "Series", "Exposition", "Drain", "CMicroHTTPD", "CGnuTLS",
                "CCrypt",
            ]),
        system("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
        library(
            "Delivery",
            [
                "CRingside", "JSON", "Platform", "Series", "Rules", "Configuration", "Exposition", "Drain", "SQLite",
                "CCurl",
            ]),
        library(
            "Collector",
            [
                "CRingside", "JSON", "Platform", "RingReader", "Sketch", "Series", "Rules", "Spelling",
                "Configuration", "Exposition", "Drain", "History", "HTTP", "Delivery", "SQLite",
            ],
            embedded: livePage.map { "Page/\($0)" }),

        // The commands: arguments -> options -> run.
        .systemLibrary(name: "CGetopt"),
        library("Arguments", ["CGetopt", "Spelling"]),
        command("ringsided", ["Collector", "Platform", "Arguments"]),
        library(
            "LogImport",
            [
                "Ringside", "RingsideCatalogue", "Platform", "RingReader", "Configuration", "Exposition", "Arguments",
            ]),
        // Without pkg-config, whose flags for ncurses SwiftPM refuses with a warning.
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),
        command(
            "RingsideTool",
            [
                "CNcurses", "CRingside", "JSON", "Platform", "RingReader", "Series",
                "Configuration",
                "Exposition", "Drain", "History", "Spelling", "Arguments", "LogImport", "CCurl",
            ]),
        .systemLibrary(name: "CPrctl"),
        command(
            "ringside-demo", ["Ringside", "RingsideCatalogue", "Arguments", "CMicroHTTPD", "CPrctl"],
            embedded: ["Page/page.html"]),

        // What it all costs, beside the machine's floor and other people's work.
        .target(name: "CBench", dependencies: ["CRingside"], path: "Benchmarks/CBench"),
        .executableTarget(
            name: "ringside-bench",
            dependencies: [
                "Ringside", "CRingside", "JSON", "Platform", "RingReader", "History", "Series", "Sketch", "Drain",
                "Exposition", "Arguments", "CBench",
            ],
            path: "Benchmarks/ringside-bench", swiftSettings: strict),

        // What tests share, and the bot that they run as another process.
        .target(
            name: "TestSupport", dependencies: ["CRingside", "CZlib", "RingReader", "Sketch", "Series"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(name: "CProbe", path: "Tests/CProbe"),
        .executableTarget(
            name: "RingProbe", dependencies: ["Ringside", "RingsideCatalogue", "CProbe", "CRingside", "TestSupport"],
            path: "Tests/RingProbe",
            swiftSettings: strict),

        // One test target a source target.
        tests("RingsideTests", ["Ringside", "CRingside", "RingReader", "TestSupport"], exclude: ["Bots"]),
        tests(
            "CatalogueTests",
            ["RingsideCatalogue", "Ringside", "CRingside", "RingReader", "Rules", "Series", "TestSupport"]),
        tests("RingReaderTests", ["RingReader", "CRingside", "TestSupport"], exclude: ["Vectors"]),
        tests(
            "RingLifeTests",
            [
                "Ringside", "CRingside", "Platform", "RingReader", "Series", "Exposition", "History", "Drain", "HTTP",
                "Collector", "Rules", "CSQLite", "TestSupport",
            ],
            exclude: ["Bots"]),
        tests("SketchTests", ["Sketch", "TestSupport"]),
        tests("SeriesTests", ["Series", "Sketch", "TestSupport"]),
        tests("RulesTests", ["Rules", "Series", "Sketch", "TestSupport"]),
        tests("SpellingTests", ["Spelling"]),
        tests("ConfigurationTests", ["Configuration", "Rules", "Series", "RingsideCatalogue", "TestSupport"]),
        tests(
            "ExpositionTests", ["Exposition", "JSON", "Rules", "Series", "Sketch", "CZlib", "TestSupport"],
            exclude: ["Judges", "Python"]),
        tests(
            "HistoryTests", ["History", "Exposition", "Series", "Sketch", "CSQLite", "SQLite", "TestSupport"],
            exclude: ["Judges"]
        ),
        tests("SQLiteTests", ["SQLite", "TestSupport"]),
        tests("PlatformTests", ["Platform", "JSON", "TestSupport"]),
        tests(
            "DrainTests",
            [
                "Drain", "Platform", "Configuration", "RingReader", "Ringside", "Rules", "Exposition", "Series",
                "Sketch", "TestSupport",
            ]),
        tests(
            "HTTPTests",
            [
                "HTTP", "Collector", "Drain", "Platform", "Configuration", "Rules", "Exposition", "Series", "Sketch",
                "CZlib",
                "TestSupport",
            ]),
        tests(
            "DeliveryTests",
            [
                "Delivery", "Drain", "Platform", "Configuration", "Rules", "Exposition", "Series", "Sketch",
                "SQLite", "TestSupport",
            ]),
        tests(
            "CollectorTests",
            [
                "Collector", "Drain", "Platform", "Configuration", "History", "RingReader", "Rules", "Exposition",
                "Series", "Sketch", "SQLite", "CSQLite", "CZlib", "TestSupport",
            ]),
        tests("ArgumentsTests", ["Arguments"]),
        tests(
            "DemoTests", ["ringside-demo", "RingsideCatalogue", "Arguments", "RingReader", "CRingside", "TestSupport"],
            exclude: ["Fixtures"]
        ),
        tests(
            "ToolTests",
            ["RingsideTool", "LogImport", "Configuration", "Ringside", "CRingside", "RingReader", "TestSupport"]),

        // The commands as users run them, together.
        tests(
            "EndToEndTests", ["Ringside", "TestSupport"],
            exclude: [
                "Prometheus/accept_proxy.py", "Clock/wall_clock.c", "Page/checks.py", "Page/page.py",
                "Page/generated.py",
                "Page/demo_page.py",
            ]),
        tests("BenchTests", ["TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
