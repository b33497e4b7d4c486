// No key that a request carries is ever shown, however it is written.
import Testing

@testable import Telemetry

struct RedactedTargetTests {
    @Test(arguments: [
        ("/add/KEY/talk?url=https://e.com/", "/add/***/talk?url=https://e.com/"),
        ("/ADD/KEY/talk", "/ADD/***/talk"),
        ("/%61dd/KEY/x", "/%61dd/***/x"),
        ("/%2561dd/KEY/x", "/%2561dd/***/x"),
        ("/add%2fKEY%2fx", "/add%2f***"),
        ("//add//KEY/x", "//add//***/x"),
        ("/add/./KEY/x", "/add/./***/x"),
        ("/add/K%2fEY/x", "/add/***/x"),
        ("/add/K;E&Y=/x", "/add/***/x"),
        ("/add/KEY", "/add/***"),
        ("/add/", "/add/"),
        ("/Squeeze.svc/text/KEY?url=http://a.b/c?d=e", "/Squeeze.svc/text/***?url=http://a.b/c?d=e"),
        ("/squeeze.SVC/TEXT/KEY?url=x", "/squeeze.SVC/TEXT/***?url=x"),
        ("/Squeeze.svc/KEY?url=x", "/Squeeze.svc/***?url=x"),
        ("/Squeeze.svc/json/KEY", "/Squeeze.svc/***"),
        ("/Reporting.svc/maps/KEY?p=1&s=255", "/Reporting.svc/maps/***?p=1&s=255"),
        ("http://h.example/add/KEY/x", "http://h.example/add/***/x"),
    ])
    func `a key in the path is hidden`(target: String, shown: String) {
        #expect(redact(target) == shown)
    }

    @Test(arguments: [
        ("/api/links?key=KEY", "/api/links?key=***"),
        ("/api/links?api_key=KEY&x=1", "/api/links?api_key=***&x=1"),
        ("/a?x=1&ApiKey=KEY", "/a?x=1&ApiKey=***"),
        ("/a?signature=KEY&timestamp=5&keyword=talk", "/a?signature=***&timestamp=***&keyword=talk"),
        ("/a?k%65y=KEY", "/a?k%65y=***"),
        ("/a?k%2565y=KEY", "/a?k%2565y=***"),
        ("/a?key%3DKEY", "/a?key%3D***"),
        ("/a%3fkey=KEY", "/a%3fkey=***"),
        ("/a?key=K%26EY&b=c", "/a?key=***&b=c"),
        ("/a?key=K=E;Y&b=c", "/a?key=***&b=c"),
        ("/a?+key[]=KEY", "/a?+key[]=***"),
        ("/a?user=me&password=KEY&token=KEY&client_secret=KEY", "/a?user=me&password=***&token=***&client_secret=***"),
        ("/a?url=https://e.com/?token=KEY&x=1", "/a?url=https://e.com/?token=***&x=1"),
        ("/a?url=https%3A%2F%2Fe.com%2F%3Ftoken%3DKEY%26x%3D1&y=2", "/a?url=https%3A%2F%2Fe.com%2F%3Ftoken%3D***&y=2"),
        ("/a?key=&b=c", "/a?key=&b=c"),
        ("/a&key=KEY", "/a&key=***"),
    ])
    func `a secret in the query is hidden`(target: String, shown: String) {
        #expect(redact(target) == shown)
    }

    @Test(arguments: [
        ("http://me:KEY@h.example/x", "http://***@h.example/x"),
        ("http://me:K@E;Y@h.example/x", "http://***@h.example/x"),
        ("me:KEY@h.example:443", "***@h.example:443"),
        ("/a?url=https://me:KEY@h.example/", "/a?url=https://***@h.example/"),
        ("/a?url=https%3A%2F%2Fme%3AKEY%40h.example", "/a?url=https%3A%2F%2F***%40h.example"),
        ("/@me/x@y?mail=a@b.example", "/@me/x@y?mail=a@b.example"),
    ])
    func `user information in front of a host is hidden`(target: String, shown: String) {
        #expect(redact(target) == shown)
    }

    @Test(arguments: ["/", "*", "", "/talk", "/talk/?a=b&c=d%", "/address/x", "/view/list", "/%zz%4", "/%ff%00"])
    func `what holds no secret stays as it is`(target: String) {
        #expect(redact(target) == target)
    }

    @Test func `a long target is cut and still holds no secret`() {
        let long = redact("/a?b=" + String(repeating: "x", count: 490) + "&key=" + String(repeating: "K", count: 9_000))
        #expect(long == "/a?b=" + String(repeating: "x", count: 490) + "&key=***...")
        #expect(redact("/" + String(repeating: "x", count: 511)).utf8.count == 512)
        #expect(redact("/" + String(repeating: "x", count: 512)).utf8.count == 515)
    }

    private func redact(_ target: String) -> String { String(decoding: RedactedTarget(target.utf8).bytes, as: UTF8.self) }
}
