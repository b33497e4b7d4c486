// The log as its readers see it: what comes out of the descriptor.
import Foundation
import Glibc
import Testing

@testable import Telemetry

struct LogTests {
    private let noon: @Sendable () -> UTCTime = { UTCTime(secondsSince1970: 1_893_553_445, millisecond: 6) }

    @Test func `a text line has time, level, message and fields`() {
        let lines = written {
            $0.info("listening", ["address": "127.0.0.1:8080", "loops": 2, "note": "two words", "none": ""])
        }
        #expect(
            lines == [#"2030-01-02T03:04:05.006Z info listening address=127.0.0.1:8080 loops=2 note="two words" none="""#])
    }

    @Test func `a JSON line is an object`() throws {
        let lines = written(.json) { $0.error("said \"no\"", ["a": "\u{2028}x\n", "n": -4, "raw": .bytes([0xFF, 0x41])]) }
        let object = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? NSDictionary)
        #expect(
            object == [
                "time": "2030-01-02T03:04:05.006Z", "level": "error", "message": "said \"no\"", "a": "\u{2028}x\n", "n": -4,
                "raw": "\u{FFFD}A",
            ])
        #expect(lines.count == 1 && lines[0].utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }

    @Test(arguments: [
        ("a\nFORGED", #"a\nFORGED"#), ("\r\n", #"\r\n"#), ("\u{1B}[31m", #"\u001b[31m"#), ("\u{0}\u{7F}", #"\u0000\u007f"#),
        ("\u{85}\u{9B}", #"\u0085\u009b"#), ("\u{2028}\u{2029}", #"\u2028\u2029"#), ("\u{202E}x", #"\u202ex"#),
        ("tab\there", #"tab\there"#), (#"back\slash"#, #"back\\slash"#), ("é☃😀", "é☃😀"),
    ])
    func `whatever is logged stays one line`(value: String, shown: String) throws {
        let text = written { $0.info(value, ["v": .text(value)]) }
        #expect(text == ["2030-01-02T03:04:05.006Z info \(shown) v=\(shown)"])
        let json = written(.json) { $0.info(value, ["v": .text(value)]) }
        #expect(json.count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json[0].utf8)) as? [String: String])
        #expect(object["message"] == value && object["v"] == value)
    }

    @Test func `bytes that are no text are shown as bytes`() {
        #expect(
            written { $0.info("m", ["v": .bytes([0x61, 0xC3, 0x28, 0xFF, 0xE2, 0x98])]) }[0].hasSuffix(
                #" v=a\xc3(\xff\xe2\x98"#))
    }

    @Test(arguments: [LogFormat.text, .json])
    func `a forged request target stays on its line`(format: LogFormat) {
        let lines = written(format) { log in
            for target in [
                "/%0d%0aFORGED", "/\r\nFORGED", "/\u{1B}[31m", "/add/KEY/x?key=KEY", "/Squeeze.svc/text/KEY?url=x",
            ] {
                log.access(
                    AccessEntry(
                        client: "127.0.0.1", method: Array("GET".utf8), target: RedactedTarget(target.utf8), status: 404,
                        bytes: 12, microseconds: 34))
            }
        }
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.contains("12") && !$0.contains("KEY") && !$0.contains("\u{1B}") })
    }

    @Test func `an access line tells the request`() {
        let entry = AccessEntry(
            client: "::1", method: Array("GET".utf8), target: RedactedTarget("/talk".utf8), status: 302, bytes: 0,
            microseconds: 9)
        let lines = written(level: .error) { $0.access(entry) }
        #expect(
            lines == [
                "2030-01-02T03:04:05.006Z info request client=::1 method=GET target=/talk status=302 bytes=0 microseconds=9"
            ])
    }

    @Test func `lines below the level are not written`() {
        let lines = written(level: .warning) { log in
            log.error("e")
            log.warning("w")
            log.info("i")
            log.debug("d")
            #expect(log.writes(.warning) && !log.writes(.info))
        }
        #expect(lines.map { String($0.suffix(1)) } == ["e", "w"])
    }

    @Test func `a descriptor that nobody reads costs lines, not time`() throws {
        let pipe = Pipe()
        let log = Log(descriptor: pipe.fileHandleForWriting.fileDescriptor, limit: 200_000, now: noon)
        let line = String(repeating: "x", count: 1_000)
        let start = ContinuousClock.now
        for _ in 0..<1_000 { log.info(line) }
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(!log.flush(within: 0.1))

        var text = ""
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while !text.contains("were dropped") || !text.hasSuffix("\n") {
            let count = unsafe read(pipe.fileHandleForReading.fileDescriptor, &chunk, chunk.count)
            try #require(count > 0)
            text += String(decoding: chunk[..<count], as: UTF8.self)
        }
        let kept = text.split(separator: "\n").count { $0.hasSuffix("x") }
        #expect(text.contains("warning log lines were dropped count=\(1_000 - kept)\n"))
        // A pipe itself holds 64 KiB.
        #expect(kept * 1_031 <= 200_000 + 65_536 && kept > 100)
        #expect(log.flush())
    }

    @Test func `lines of many threads stay whole`() {
        let lines = written { log in
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for number in 0..<500 { log.info("thread \(thread) says \(number)") }
            }
        }
        #expect(Set(lines).count == 4_000)
    }

    @Test func `a closed descriptor is no reason to stop`() {
        let log = Log(descriptor: -1, now: noon)
        log.info("a")
        #expect(log.flush())
        log.info("b")
        #expect(log.flush())
    }

    /// The lines that `body` had written.
    private func written(_ format: LogFormat = .text, level: LogLevel = .info, _ body: (Log) -> Void) -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("shorty-log-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let descriptor = unsafe open(file.path, O_CREAT | O_RDWR, 0o600)
        defer { close(descriptor) }
        let log = Log(level: level, format: format, descriptor: descriptor, now: noon)
        body(log)
        #expect(log.flush(within: 10))
        let data = (try? Data(contentsOf: file)) ?? Data()
        #expect(data.last == 0x0A)
        // At the line feed alone: that is where a log's readers split.
        return data.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }
}
