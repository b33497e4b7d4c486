// The beginning of a connection from a proxy that speaks the PROXY protocol: its header comes before everything else, the TLS
// handshake too, so exactly its bytes are taken from the socket and not one more.
internal import CLinux
internal import Glibc

extension Connection {
    /// The socket has bytes, of which the first belong to the header.
    func readPreface() {
        var bytes = input
        let known = bytes.count
        bytes += [UInt8](repeating: 0, count: ProxyHeader.limit - known)
        // The kernel writes behind what is known, during the call only. Peeked at: what follows the header is not ours yet.
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe recv(socket, buffer.baseAddress.map { unsafe $0 + known }, buffer.count - known, Int32(MSG_PEEK))
        }
        guard count > 0 else {
            if count == 0 || errno != EAGAIN && errno != EINTR { close() }
            return
        }
        bytes.removeLast(bytes.count - known - count)
        switch ProxyHeader(bytes.span) {
        case .incomplete where bytes.count < ProxyHeader.limit:
            drop(count)
            input = bytes
        case .incomplete, .malformed:
            loop.refusedPreface(peer.address)
            close()
        case .header(let length, let client):
            drop(length - known)
            input = []
            if let client { believe(client) }
            phase = .head
        }
    }

    private func believe(_ client: ClientAddress) {
        // A chain that the fields report goes on only where the named client is a trusted proxy too.
        let proxies = peer.proxies.flatMap { $0.contains(client) ? $0 : nil }
        peer = Peer(address: client, isSecure: peer.isSecure, proxies: proxies)
    }

    /// Takes bytes that were peeked at from the socket.
    private func drop(_ count: Int) {
        var taken = [UInt8](repeating: 0, count: count)
        _ = unsafe recv(socket, &taken, count, 0)
    }
}
