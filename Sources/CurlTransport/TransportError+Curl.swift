import Backend
import CCurl

extension TransportError {
    /// Maps libcurl's results to the few causes that a caller can distinguish; anything else is a violation of the
    /// protocol.
    ///
    /// - Parameter detail: what libcurl wrote into the exchange's error buffer; "" where it wrote nothing.
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
        self.init(kind, detail: detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail)
    }
}
