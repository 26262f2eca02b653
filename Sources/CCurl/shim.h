// libcurl's functions, loaded at their first use, and its variadic setters and getters, each with one type of value: Swift
// can't call variadic C functions.
//
// libcurl needs about 30 further libraries. If the program were linked with it, loading them would take up to half of the
// time of a command that sends nothing.
#ifndef SATCHEL_CCURL_SHIM_H
#define SATCHEL_CCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <fcntl.h>

#ifdef __APPLE__
#define CCURL_FILE "libcurl.4.dylib"
#else
#define CCURL_FILE "libcurl.so.4"
#endif

// Returns libcurl; null: it can't be loaded. Threads that call it at once load the same library.
static inline void *ccurl_library(void) {
  static void *loaded;
  void *library = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
  if (!library) {
    library = dlopen(CCURL_FILE, RTLD_NOW | RTLD_LOCAL);
    __atomic_store_n(&loaded, library, __ATOMIC_RELEASE);
  }
  return library;
}

// Returns a function of libcurl; null: there is none, or the library can't be loaded.
static inline void *ccurl_function(void **loaded, const char *name) {
  void *function = __atomic_load_n(loaded, __ATOMIC_ACQUIRE);
  if (!function && ccurl_library()) {
    function = dlsym(ccurl_library(), name);
    __atomic_store_n(loaded, function, __ATOMIC_RELEASE);
  }
  return function;
}

// The function of libcurl with this name, with its type.
#define CCURL(name) \
  static void *ccurl_loaded_##name; \
  __typeof__(&name) call = (__typeof__(&name))ccurl_function(&ccurl_loaded_##name, #name)

// Without the library there are no handles, so the functions that receive one aren't called.

static inline CURL *ccurl_easy_init(void) {
  CCURL(curl_easy_init);
  return call ? call() : NULL;
}

static inline void ccurl_easy_cleanup(CURL *easy) {
  CCURL(curl_easy_cleanup);
  call(easy);
}

static inline const char *ccurl_easy_strerror(CURLcode code) {
  CCURL(curl_easy_strerror);
  return call ? call(code) : "libcurl can't be loaded";
}

static inline struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line) {
  CCURL(curl_slist_append);
  return call ? call(list, line) : NULL;
}

static inline void ccurl_slist_free_all(struct curl_slist *list) {
  CCURL(curl_slist_free_all);
  if (call) call(list);
}

static inline CURLM *ccurl_multi_init(void) {
  CCURL(curl_multi_init);
  return call ? call() : NULL;
}

static inline CURLMcode ccurl_multi_cleanup(CURLM *multi) {
  CCURL(curl_multi_cleanup);
  return call(multi);
}

static inline CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) {
  CCURL(curl_multi_add_handle);
  return call(multi, easy);
}

static inline CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) {
  CCURL(curl_multi_remove_handle);
  return call(multi, easy);
}

static inline CURLMcode ccurl_multi_perform(CURLM *multi, int *running) {
  CCURL(curl_multi_perform);
  return call(multi, running);
}

static inline CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds, int *ready) {
  CCURL(curl_multi_poll);
  return call(multi, NULL, 0, milliseconds, ready);
}

static inline CURLMcode ccurl_multi_wakeup(CURLM *multi) {
  CCURL(curl_multi_wakeup);
  return call(multi);
}

static inline CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) {
  CCURL(curl_multi_info_read);
  return call(multi, left);
}

static inline const char *ccurl_multi_strerror(CURLMcode code) {
  CCURL(curl_multi_strerror);
  return call(code);
}

typedef size_t (*ccurl_data_callback)(char *data, size_t size, size_t count, void *context);

static inline CURLcode ccurl_global_init(void) {
  CCURL(curl_global_init);
  return call ? call(CURL_GLOBAL_DEFAULT) : CURLE_FAILED_INIT;
}

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  CCURL(curl_easy_setopt);
  return call(easy, option, value);
}

// libcurl copies the text.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  CCURL(curl_easy_setopt);
  return call(easy, option, value);
}

// libcurl keeps the pointer.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  CCURL(curl_easy_setopt);
  return call(easy, option, value);
}

// libcurl copies the bytes. No bytes are a body too, which a null pointer wouldn't be.
static inline CURLcode ccurl_set_body(CURL *easy, const void *bytes, size_t count) {
  CCURL(curl_easy_setopt);
  CURLcode code = call(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return code == CURLE_OK ? call(easy, CURLOPT_COPYPOSTFIELDS, count ? bytes : "") : code;
}

static inline CURLcode ccurl_set_callback(CURL *easy, CURLoption option, ccurl_data_callback callback) {
  CCURL(curl_easy_setopt);
  return call(easy, option, callback);
}

// http and https alone, so that an address can name no file and no other service.
static inline CURLcode ccurl_set_protocols(CURL *easy) {
  CCURL(curl_easy_setopt);
#if LIBCURL_VERSION_NUM >= 0x075500
  return call(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return call(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static int ccurl_close_on_exec(void *context, curl_socket_t socket, curlsocktype purpose) {
  (void)context;
  (void)purpose;
  return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

// Processes that the client starts (hooks, an editor) inherit no connection.
static inline CURLcode ccurl_set_close_on_exec(CURL *easy) {
  CCURL(curl_easy_setopt);
  return call(easy, CURLOPT_SOCKOPTFUNCTION, ccurl_close_on_exec);
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  CCURL(curl_easy_getinfo);
  return call(easy, info, value);
}

// Bytes of the body that were handed to the connection.
static inline long long ccurl_uploaded(CURL *easy) {
  CCURL(curl_easy_getinfo);
  curl_off_t bytes = 0;
  call(easy, CURLINFO_SIZE_UPLOAD_T, &bytes);
  return bytes;
}

static inline CURLcode ccurl_resume(CURL *easy) {
  CCURL(curl_easy_pause);
  return call(easy, CURLPAUSE_CONT);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  CCURL(curl_multi_setopt);
  return call(multi, option, value);
}

#endif
