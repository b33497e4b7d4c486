// The house's own pages: the root, the files that browsers and robots ask for, and the health check.
internal import Assets
internal import HTTP
internal import Shortening

enum HousePages {
    static let pages: [Page] = [
        Page([.get], "/") { services, _, _, answer in answer.send(services.pages.home()) },
        Page([.get], "/robots.txt") { _, _, _, answer in
            // Short links are for people: a robot that follows them would only be counted.
            answer.send(asset("text/plain; charset=utf-8", Array("User-agent: *\nDisallow: /\n".utf8)))
        },
        Page([.get], "/favicon.ico") { _, _, _, answer in answer.send(asset("image/x-icon", favicon)) },
        Page([.get], "/assets/style.css") { _, _, _, answer in answer.send(asset("text/css; charset=utf-8", styleSheet)) },
        Page([.get], "/assets/overlay.css") { _, _, _, answer in answer.send(asset("text/css; charset=utf-8", overlay)) },
        Page([.get], "/healthz") { services, _, _, answer in health(services, answer.later()) },
    ]

    private static let favicon = unsafe bytes(asset_favicon_bytes(), asset_favicon_size)
    private static let styleSheet = unsafe bytes(asset_style_css_bytes(), asset_style_css_size)
    private static let overlay = unsafe bytes(asset_overlay_css_bytes(), asset_overlay_css_size)

    private static func bytes(_ start: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
        // A constant of the program and its own length.
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    private static func asset(_ type: String, _ bytes: [UInt8]) -> Response {
        Response(
            .ok,
            fields: [
                ("Content-Type", type), ("Cache-Control", "public, max-age=86400"), ("X-Content-Type-Options", "nosniff"),
            ],
            body: bytes)
    }

    /// 200 while the store can be read and written, 503 with the reason when not. Asks off the loop: it may write.
    private static func health(_ services: Services, _ ticket: Ticket) {
        services.health.ask { problem in
            // A backup that failed makes the redirects no worse, so it changes no status.
            let backup = services.lastBackup().map { ",\"lastBackup\":\($0.json)" } ?? ""
            guard let problem else { return ticket.answer(health(.ok, "{\"status\":\"ok\"\(backup)}\n")) }
            let reason = jsonText(problem.message)
            ticket.answer(health(.serviceUnavailable, "{\"status\":\"degraded\",\"reason\":\(reason)\(backup)}\n"))
        }
    }

    private static func health(_ status: Status, _ body: String) -> Response {
        Response(status, type: "application/json", body, fields: [("Cache-Control", "no-store")])
    }
}
