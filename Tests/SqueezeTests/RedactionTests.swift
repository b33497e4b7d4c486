// The key is in the path here, so every line about such a request could give it away.
import Foundation
import Telemetry
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [LogFormat.text, .json])
    func `no line of the log shows a key, right or wrong`(format: LogFormat) throws {
        let service = try LiveService(logFormat: format)
        let wrong = "fedcba9876543210fedcba9876543210"
        var count = 0
        for key in [LiveService.key, LiveService.key.uppercased(), wrong, "%30" + LiveService.key.dropFirst()] {
            for target in [
                "/Squeeze.svc/text/KEY", "/sQuEeZe.svc/KEY", "/Reporting.svc/maps/KEY", "/%53queeze.svc/./text//KEY",
                "/Squeeze.svc/text/KEY/more",
            ] {
                _ = try service.get(target.replacingOccurrences(of: "KEY", with: key) + "?url=http://example.com/")
                count += 1
            }
            _ = try service.send(Client.phone.request("HEAD", "/Squeeze.svc/text/\(key)?url=http://example.com/"))
            _ = try service.get("http://api.x.co/Squeeze.svc/text/\(key)?url=http://example.com/")
            count += 2
        }
        let text = try service.logged()
        #expect(
            text.split(separator: "\n").filter {
                $0.localizedCaseInsensitiveContains("queeze.svc") || $0.contains("Reporting")
            }.count == count)
        for secret in [LiveService.key, wrong, String(LiveService.key.dropFirst(8)), String(wrong.dropFirst(8))] {
            #expect(!text.localizedCaseInsensitiveContains(secret))
        }
    }

    @Test func `no answer shows a key either`() throws {
        let service = try LiveService()
        for target in [
            "/Squeeze.svc/text/KEY", "/Squeeze.svc/KEY?url=x", "/Reporting.svc/maps/KEY?p=0", "/Squeeze.svc/text/KEY/more",
        ] {
            for key in [LiveService.key, "fedcba9876543210fedcba9876543210"] {
                let reply = try service.get(target.replacingOccurrences(of: "KEY", with: key))
                #expect(!reply.text.contains(key))
                #expect(!reply.fields.values.contains { $0.contains(key) })
            }
        }
    }
}
