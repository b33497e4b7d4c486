import Testing

@testable import Web

/// The parameters of the old dialects, from queries, forms and JSON.
struct ParametersTests {
    private enum Read: Equatable {
        case value(Parameters.Value?)
        case fault
    }

    private func read(_ body: [UInt8], type: String = "application/json", query: String = "", name: String = "url") -> Read
    {
        let bytes = WebService.post("/api-add" + query, body, type: type)
        return withRequest(bytes) { request in
            do throws(ParameterFault) { return .value(try Parameters(request)[name]) } catch { return .fault }
        } ?? .fault
    }

    private func json(_ text: String, name: String = "url") -> Read { read(Array(text.utf8), name: name) }

    private func form(_ text: String, name: String = "url") -> Read {
        read(Array(text.utf8), type: "application/x-www-form-urlencoded", name: name)
    }

    // MARK: JSON

    @Test(arguments: [
        (#"{"url":"http:\/\/e.example\/"}"#, "http://e.example/"),
        ("{ \n \"url\" : \"a\" ,\n \"x\" : [1,{\"y\":null}] }", "a"),
        (#"{"url":"\u00fc\ud83d\ude00"}"#, "ü😀"), (#"{"url":""}"#, ""), ("{\"url\":\"ü\"}", "ü"),
        (#"{"u\u0072l":"a"}"#, "a"),
        ("\u{feff}{\"url\":\"a\"}", "a"), (#"{"url":"a\nb"}"#, "a\nb"),
    ])
    func `a JSON string is its text`(_ text: String, _ value: String) { #expect(json(text) == .value(.text(value))) }

    @Test(arguments: [
        #"{"url":123}"#, #"{"url":true}"#, #"{"url":["x"]}"#, #"{"url":{}}"#, #"{"url":1e400}"#, #"{"url":-0.5}"#,
        #"{"url":false}"#,
    ])
    func `a JSON value that is no string is something else`(_ text: String) { #expect(json(text) == .value(.other)) }

    @Test(arguments: [
        #"{"url":null}"#, "{}", #"{"ur":"x"}"#, #"{"URL":"x"}"#, "[]", #""x""#, "null", "17", "[{}]", #"["url"]"#,
    ])
    func `null, another name and what is no object give nothing`(_ text: String) { #expect(json(text) == .value(nil)) }

    @Test(arguments: [
        "{", "{\"url\":\"a\"", "{\"url\":\"a\"}{\"url\":\"b\"}", "{\"url\":\"a\"}x", "{'url':'a'}", "{url:\"a\"}", "nul",
        "{\"url\":\"a}",
        "{\"url\":\"\\ud800\"}", "{\"url\":\"a\nb\"}", "{\"url\":\"\\x\"}", "{\"url\":\"a\u{1}\"}", "{\"url\" \"a\"}", " ",
        "\u{feff}",
        "{\"url\":\"a\0\"}", "{\"\\ud800\":1}", "{\"x\u{2}\":1}", "{\"\\q\":1}",
    ])
    func `what is no JSON text is a fault`(_ text: String) { #expect(json(text) == .fault) }

    @Test func `JSON is UTF-8 and nothing else`() {
        #expect(read(Array(#"{"url":"http://e.example/"#.utf8) + [0xc3, 0x28] + Array("\"}".utf8)) == .fault)
        #expect(read(Array(#"{"url":"a"}"#.utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }) == .fault)
        #expect(read([0xff, 0xfe] + Array(#"{"url":"a"}"#.utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }) == .fault)
        #expect(read(Array(#"{"url":"a"}"#.unicodeScalars).flatMap { [0, 0, 0, UInt8($0.value)] }) == .fault)
        #expect(read(Array(#"{"url":"\#u{0}"}"#.utf8)) == .fault)
    }

    @Test func `of a name that occurs twice the first value counts, however it is spelt`() {
        #expect(json(#"{"url":"https://a.example/","url":"https://b.example/"}"#) == .value(.text("https://a.example/")))
        #expect(
            json(#"{"url":"https://a.example/","\u0075rl":"javascript:alert(1)"}"#) == .value(.text("https://a.example/")))
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"", "Application/JSON",
        "application/json; utf-8", "application/json; charset=latin1", "APPLICATION/JSON;x=y",
    ])
    func `a type that begins with JSON's is JSON`(_ type: String) {
        #expect(read(Array(#"{"url":"ü"}"#.utf8), type: type) == .value(.text("ü")))
    }

    @Test func `JSON nested without end is refused and does no harm`() {
        for opening in ["[", "{\"url\":"] {
            #expect(json(String(repeating: opening, count: 100_000)) == .fault)
            #expect(json("{\"url\":" + String(repeating: opening, count: 100_000)) == .fault)
        }
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(json("{\"a\":\(deep),\"url\":\"x\"}") == .value(.text("x")))
    }

    /// To bring such a run into its normal form takes minutes, and every loop has but one thread.
    @Test func `names of a million combining characters cost no more than others`() {
        let run = String(repeating: "\u{301}\u{327}", count: 1 << 18)
        let took = ContinuousClock().measure {
            #expect(json("{\"\(run)\":1,\"url\":\"a\"}") == .value(.text("a")))
            #expect(json("{\"x\":\"\(run)\",\"url\":\"a\"}") == .value(.text("a")))
            #expect(form("\(run)=1&url=a") == .value(.text("a")))
        }
        #expect(took < .seconds(20))
    }

    // MARK: Forms and queries

    @Test(arguments: [
        ("url=http%3A%2F%2Fe.example%2F%3Fa%3Db%26c", "http://e.example/?a=b&c"), ("url=a+b%2Bc", "a b+c"),
        ("x=1&url=a&y", "a"),
        ("url=a=b", "a=b"), ("url=", ""), ("url", ""), ("&&url=a&&", "a"), ("url=a&url=b", "a"), ("u%72l=a", "a"),
        ("url=%zz", "%zz"),
        ("url=%C3%BC", "ü"), ("url=https%3A%2F%2Fe.example%2F%0D%0AX", "https://e.example/\r\nX"),
    ])
    func `a form's value is decoded once`(_ text: String, _ value: String) { #expect(form(text) == .value(.text(value))) }

    @Test func `a form's text is UTF-8 or a fault`() {
        #expect(form("url=%FF") == .fault)
        #expect(form("url=a&%C3%28=x") == .fault)
        #expect(read([0x75, 0x72, 0x6c, 0x3d, 0xff], type: "application/x-www-form-urlencoded") == .fault)
    }

    @Test func `the query comes before the content`() {
        #expect(read(Array(#"{"url":"b"}"#.utf8), query: "?url=a&x=1") == .value(.text("a")))
        #expect(read(Array(#"{"url":"b"}"#.utf8), query: "?x=1") == .value(.text("b")))
        #expect(read([], query: "?url=a") == .value(.text("a")))
    }

    @Test func `what is missing and what is no text are told apart`() throws {
        let bytes = WebService.post("/api-add", Array(#"{"a":null,"b":"x","c":1,"d":"x\u0000y"}"#.utf8))
        try withRequest(bytes) { request in
            let parameters = try Parameters(request)
            #expect(try parameters.text("a") == nil)
            #expect(try parameters.text("none") == nil)
            #expect(try parameters.text("b") == "x")
            #expect(throws: ParameterFault.self) { try parameters.text("c") }
            #expect(try parameters.text("d") == "x\0y")
            #expect(throws: ParameterFault.self) { try parameters.line("d") }
            #expect(try parameters.line("b") == "x")
        }
    }
}
