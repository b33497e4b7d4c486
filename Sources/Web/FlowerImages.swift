// The drawings of flowers that the demo shows, compiled in.
internal import Assets
internal import HTTP

enum FlowerImages {
    static let pages: [Page] = [
        Page([.get], "/assets/flowers/{name}.svg") { services, request, parameters, answer in
            guard let image = images[parameters[0]] else { return answer.send(services.pages.notFound(request)) }
            answer.send(
                Response(
                    .ok,
                    fields: [
                        ("Content-Type", "image/svg+xml"), ("Cache-Control", "public, max-age=86400"),
                        ("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "default-src 'none'"),
                    ],
                    body: image))
        }
    ]

    /// By their names without the ending.
    private static let images: [String: [UInt8]] = {
        var images: [String: [UInt8]] = [:]
        // The table and what it points to are constants of the program.
        while let entry = unsafe asset_flower(images.count)?.pointee {
            images[unsafe String(cString: entry.name)] = unsafe Array(
                UnsafeBufferPointer(start: entry.bytes, count: entry.length))
        }
        return images
    }()
}
