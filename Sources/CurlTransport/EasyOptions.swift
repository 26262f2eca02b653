import Backend
import CCurl

/// Sets the options of an easy handle, and checks that libcurl accepts each.
struct EasyOptions {
    private let easy: UnsafeMutableRawPointer

    init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

    /// Sets all options but the callbacks.
    ///
    /// - Parameter sharing: Whether to wait for a connection that is being established, to share it, see
    ///   `Worker.mayShare`.
    func apply(
        _ transfer: Transfer, sharing: Bool, headers: UnsafeMutablePointer<curl_slist>?,
        errorText: UnsafeMutablePointer<CChar>?
    ) throws(TransportError) {
        try set(CURLOPT_ERRORBUFFER, to: errorText.map { UnsafeMutableRawPointer($0) })
        try set(CURLOPT_URL, to: transfer.request.url)
        if let socket = transfer.request.socket { try set(CURLOPT_UNIX_SOCKET_PATH, to: socket) }
        // A proxy can't reach this machine's loopback address, and must not see requests to it.
        if transfer.request.isToLoopback { try set(CURLOPT_NOPROXY, to: "*") }
        try set(CURLOPT_HTTPHEADER, to: headers.map { UnsafeMutableRawPointer($0) })
        // libcurl also supports `file:` and others, which a server's address must not select.
        try check(ccurl_set_protocols(easy))
        // The system's settings of OpenSSL may permit less. A proxy with an https address gets passwords of its own.
        try set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_PROXY_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
        // Hooks and other child processes must not inherit the connections.
        try check(ccurl_set_close_on_exec(easy))
        // Without this, libcurl may use SIGALRM for time limits, which isn't safe with threads.
        try set(CURLOPT_NOSIGNAL, to: 1)
        // Otherwise libcurl would remove `..` segments from the path.
        try set(CURLOPT_PATH_AS_IS, to: 1)
        // The head of a proxy's answer to CONNECT isn't part of the server's answer.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
        // "" selects all content codings that this libcurl supports.
        try set(CURLOPT_ACCEPT_ENCODING, to: "")
        try set(CURLOPT_TCP_KEEPALIVE, to: 1)
        try apply(method: transfer.request)
        try apply(limits: transfer)
        // Wait until a new connection shows whether it supports HTTP/2, instead of opening one for each request.
        try set(CURLOPT_PIPEWAIT, to: sharing ? 1 : 0)
        if let file = transfer.options.certificateAuthorities {
            try set(CURLOPT_CAINFO, to: file)
            // Otherwise the system's directory of certificates would be trusted, too.
            try set(CURLOPT_CAPATH, to: nil as String?)
        }
    }

    private func apply(method request: HTTPRequest) throws(TransportError) {
        if let body = request.body {
            try check(body.withUnsafeBytes { ccurl_set_body(easy, $0.baseAddress, $0.count) })
        }
        switch (request.method, request.body) {
        case ("GET", nil): try set(CURLOPT_HTTPGET, to: 1)
        case ("HEAD", nil): try set(CURLOPT_NOBODY, to: 1)
        case ("POST", nil): try check(ccurl_set_body(easy, nil, 0))
        default: break
        }
        // The options above decide whether a body is sent and expected; this one only replaces the name of the method.
        try set(CURLOPT_CUSTOMREQUEST, to: request.method)
    }

    private func apply(limits transfer: Transfer) throws(TransportError) {
        let timeout = transfer.request.timeout
        try set(CURLOPT_CONNECTTIMEOUT_MS, to: min(transfer.options.connectTimeout, timeout).wholeMilliseconds)
        if transfer.isStream {
            // Without a time limit for the whole, since a stream ends only when a side closes it. See
            // `Exchange.deadline`.
            try set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
        } else {
            try set(CURLOPT_TIMEOUT_MS, to: timeout.wholeMilliseconds)
            // Only over TLS: the upgrade from plain HTTP/1.1 is deprecated (RFC 9113, section 3.1).
            try set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_2TLS))
            // The default of 16 KiB would call back eight times as often.
            try set(CURLOPT_BUFFERSIZE, to: 128 << 10)
        }
    }
}

extension EasyOptions {
    func set(_ option: CURLoption, to value: Int) throws(TransportError) {
        try check(ccurl_set_long(easy, option, value))
    }

    func set(_ option: CURLoption, to value: String?) throws(TransportError) {
        try check(ccurl_set_text(easy, option, value))
    }

    func set(_ option: CURLoption, to value: UnsafeMutableRawPointer?) throws(TransportError) {
        try check(ccurl_set_pointer(easy, option, value))
    }

    func set(_ option: CURLoption, _ callback: ccurl_data_callback) throws(TransportError) {
        try check(ccurl_set_callback(easy, option, callback))
    }

    private func check(_ code: CURLcode) throws(TransportError) {
        guard code == CURLE_OK else {
            throw TransportError(
                .protocolViolation, detail: "libcurl refuses the request: \(String(cString: ccurl_easy_strerror(code)))"
            )
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, and at least 1, since 0 means "no limit" to libcurl.
    var wholeMilliseconds: Int {
        // 12 days; the milliseconds fit into the 32 bits of curl_multi_poll(3), and the sum can't overflow.
        let limit = Duration.seconds(1 << 20)
        let (seconds, attoseconds) = max(.zero, min(self, limit)).components
        return max(1, Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension TransportError {
    /// Maps libcurl's results to the few causes that a caller can distinguish; anything else is a violation of the
    /// protocol.
    ///
    /// - Parameter detail: The content of the exchange's error buffer; "" if libcurl wrote nothing.
    init(_ code: CURLcode, detail: String) {
        let kind: Kind =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotResolve
            case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .refused
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED,
                CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
                .tls
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            default: .protocolViolation
            }
        self.init(kind, detail: detail.isEmpty ? String(cString: ccurl_easy_strerror(code)) : detail)
    }
}
