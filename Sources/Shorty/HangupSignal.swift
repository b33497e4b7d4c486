// SIGHUP, taken by Dispatch: read again what can be read again.
internal import Dispatch
internal import Glibc

/// Calls a function for every SIGHUP, as long as it lives.
struct HangupSignal {
    private let source: any DispatchSourceSignal

    init(_ body: @escaping @Sendable () -> Void) {
        // Dispatch sees a signal only where its default action is off (dispatch_source_create(3)).
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "shorty.hangup"))
        source.setEventHandler(handler: body)
        source.activate()
    }
}
