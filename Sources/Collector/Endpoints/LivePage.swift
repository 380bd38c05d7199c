internal import HTTP

/// The files of the page that a browser gets at `/`.
enum LivePage {
    /// The files below `/page/`, by name. They are the files of the folder Page, as Package.swift embeds them.
    private static let files: [(name: String, mediaType: String, bytes: [UInt8])] = [
        ("page.css", "text/css", PackageResources.page_css),
        ("bot.js", "text/javascript", PackageResources.bot_js),
        ("chart.js", "text/javascript", PackageResources.chart_js),
        ("collector.js", "text/javascript", PackageResources.collector_js),
        ("csv.js", "text/javascript", PackageResources.csv_js),
        ("dom.js", "text/javascript", PackageResources.dom_js),
        ("filter.js", "text/javascript", PackageResources.filter_js),
        ("fleet.js", "text/javascript", PackageResources.fleet_js),
        ("history.js", "text/javascript", PackageResources.history_js),
        ("instrument.js", "text/javascript", PackageResources.instrument_js),
        ("keyboard.js", "text/javascript", PackageResources.keyboard_js),
        ("model.js", "text/javascript", PackageResources.model_js),
        ("notice.js", "text/javascript", PackageResources.notice_js),
        ("page.js", "text/javascript", PackageResources.page_js),
        ("router.js", "text/javascript", PackageResources.router_js),
        ("rules.js", "text/javascript", PackageResources.rules_js),
        ("series.js", "text/javascript", PackageResources.series_js),
        ("stream.js", "text/javascript", PackageResources.stream_js),
        ("table.js", "text/javascript", PackageResources.table_js),
        ("theme.js", "text/javascript", PackageResources.theme_js),
        ("units.js", "text/javascript", PackageResources.units_js),
        ("words.js", "text/javascript", PackageResources.words_js),
    ]

    /// Returns the paths of the page and its files.
    ///
    /// - Parameter other: Answers a program that requests `/`.
    static func routes(other: @escaping @Sendable () -> HTTPResponse) -> [HTTPRoute] {
        let page = HTTPFile(mediaType: "text/html", bytes: PackageResources.index_html, headers: headers + [policy])
        return [.file("/", page, other: other)]
            + files.map { file in
                .file(
                    "/page/\(file.name)",
                    HTTPFile(mediaType: file.mediaType, bytes: file.bytes, headers: headers))
            }
    }

    /// The page may load nothing from another site, run no inline script, and be shown in no frame.
    private static let policy = (
        name: "Content-Security-Policy",
        value: [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    )

    /// Headers in addition to `X-Content-Type-Options` and `Cross-Origin-Resource-Policy`, which every answer has.
    private static let headers: [(name: String, value: String)] = [
        ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
}
