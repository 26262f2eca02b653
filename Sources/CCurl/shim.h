// libcurl's variadic setters and getters, each with one type of value: Swift can't call variadic C functions.
#ifndef SATCHEL_CCURL_SHIM_H
#define SATCHEL_CCURL_SHIM_H

#include <curl/curl.h>
#include <fcntl.h>

typedef size_t (*ccurl_data_callback)(char *data, size_t size, size_t count, void *context);

static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl copies the text.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the pointer.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl copies the bytes. No bytes are a body too, which a null pointer wouldn't be.
static inline CURLcode ccurl_set_body(CURL *easy, const void *bytes, size_t count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, count ? bytes : "") : code;
}

static inline CURLcode ccurl_set_callback(CURL *easy, CURLoption option, ccurl_data_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

// http and https alone, so that an address can name no file and no other service.
static inline CURLcode ccurl_set_protocols(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static int ccurl_close_on_exec(void *context, curl_socket_t socket, curlsocktype purpose) {
  (void)context;
  (void)purpose;
  return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

// Processes that the client starts (hooks, an editor) inherit no connection.
static inline CURLcode ccurl_set_close_on_exec(CURL *easy) {
  return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, ccurl_close_on_exec);
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}

// Bytes of the body that were handed to the connection.
static inline long long ccurl_uploaded(CURL *easy) {
  curl_off_t bytes = 0;
  curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &bytes);
  return bytes;
}

static inline CURLcode ccurl_resume(CURL *easy) { return curl_easy_pause(easy, CURLPAUSE_CONT); }

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

#endif
