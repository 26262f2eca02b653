// libpq's functions, loaded at their first use.
//
// libpq needs about 20 further libraries. A server with SQLite needs neither them nor libpq, so the program isn't linked
// with it.
#ifndef SATCHEL_CPOSTGRESQL_SHIM_H
#define SATCHEL_CPOSTGRESQL_SHIM_H

#include <dlfcn.h>

// Debian's place; other systems have the header on the compiler's path.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

#ifdef __APPLE__
#define CPQ_FILE "libpq.5.dylib"
#else
#define CPQ_FILE "libpq.so.5"
#endif

// Returns libpq; null: it can't be loaded, or is older than 14, the first one with pipelines. Threads that call it at once
// load the same library.
static inline void *cpq_library(void) {
  static void *loaded;
  void *library = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
  if (!library) {
    library = dlopen(CPQ_FILE, RTLD_NOW | RTLD_LOCAL);
    if (library && !dlsym(library, "PQenterPipelineMode")) library = 0;
    __atomic_store_n(&loaded, library, __ATOMIC_RELEASE);
  }
  return library;
}

// Returns a function of libpq; null: there is none, or the library can't be loaded.
static inline void *cpq_function(void **loaded, const char *name) {
  void *function = __atomic_load_n(loaded, __ATOMIC_ACQUIRE);
  if (!function && cpq_library()) {
    function = dlsym(cpq_library(), name);
    __atomic_store_n(loaded, function, __ATOMIC_RELEASE);
  }
  return function;
}

// The function of libpq with this name, with its type.
#define CPQ(name) \
  static void *cpq_loaded_##name; \
  __typeof__(&name) call = (__typeof__(&name))cpq_function(&cpq_loaded_##name, #name)

// These are called only once `cpq_library` has returned the library.

static inline PQconninfoOption *cpq_parse(const char *address, char **reason) {
  CPQ(PQconninfoParse);
  return call(address, reason);
}

static inline void cpq_free_options(PQconninfoOption *options) {
  CPQ(PQconninfoFree);
  call(options);
}

static inline void cpq_free(void *memory) {
  CPQ(PQfreemem);
  call(memory);
}

static inline PGconn *cpq_connect(const char *const *keywords, const char *const *values, int expand) {
  CPQ(PQconnectdbParams);
  return call(keywords, values, expand);
}

static inline void cpq_finish(PGconn *connection) {
  CPQ(PQfinish);
  call(connection);
}

static inline ConnStatusType cpq_status(const PGconn *connection) {
  CPQ(PQstatus);
  return call(connection);
}

static inline int cpq_set_nonblocking(PGconn *connection, int nonblocking) {
  CPQ(PQsetnonblocking);
  return call(connection, nonblocking);
}

static inline PQnoticeReceiver cpq_set_notice_receiver(PGconn *connection, PQnoticeReceiver receiver, void *context) {
  CPQ(PQsetNoticeReceiver);
  return call(connection, receiver, context);
}

static inline const char *cpq_error_message(const PGconn *connection) {
  CPQ(PQerrorMessage);
  return call(connection);
}

static inline int cpq_server_version(const PGconn *connection) {
  CPQ(PQserverVersion);
  return call(connection);
}

static inline const char *cpq_parameter(const PGconn *connection, const char *name) {
  CPQ(PQparameterStatus);
  return call(connection, name);
}

static inline int cpq_server_process(const PGconn *connection) {
  CPQ(PQbackendPID);
  return call(connection);
}

static inline int cpq_socket(const PGconn *connection) {
  CPQ(PQsocket);
  return call(connection);
}

static inline int cpq_send(PGconn *connection, const char *sql) {
  CPQ(PQsendQuery);
  return call(connection, sql);
}

static inline int cpq_send_prepare(PGconn *connection, const char *name, const char *sql) {
  CPQ(PQsendPrepare);
  return call(connection, name, sql, 0, NULL);
}

static inline int cpq_send_prepared(PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats, int result_format) {
  CPQ(PQsendQueryPrepared);
  return call(connection, name, count, values, lengths, formats, result_format);
}

static inline int cpq_enter_pipeline(PGconn *connection) {
  CPQ(PQenterPipelineMode);
  return call(connection);
}

static inline int cpq_sync_pipeline(PGconn *connection) {
  CPQ(PQpipelineSync);
  return call(connection);
}

static inline int cpq_exit_pipeline(PGconn *connection) {
  CPQ(PQexitPipelineMode);
  return call(connection);
}

static inline PGTransactionStatusType cpq_transaction_status(const PGconn *connection) {
  CPQ(PQtransactionStatus);
  return call(connection);
}

static inline int cpq_flush(PGconn *connection) {
  CPQ(PQflush);
  return call(connection);
}

static inline int cpq_consume_input(PGconn *connection) {
  CPQ(PQconsumeInput);
  return call(connection);
}

static inline int cpq_is_busy(PGconn *connection) {
  CPQ(PQisBusy);
  return call(connection);
}

static inline PGresult *cpq_next_result(PGconn *connection) {
  CPQ(PQgetResult);
  return call(connection);
}

static inline PGnotify *cpq_next_notification(PGconn *connection) {
  CPQ(PQnotifies);
  return call(connection);
}

static inline ExecStatusType cpq_result_status(const PGresult *result) {
  CPQ(PQresultStatus);
  return call(result);
}

static inline const char *cpq_result_error_field(const PGresult *result, int field) {
  CPQ(PQresultErrorField);
  return call(result, field);
}

static inline const char *cpq_result_error_message(const PGresult *result) {
  CPQ(PQresultErrorMessage);
  return call(result);
}

static inline void cpq_clear(PGresult *result) {
  CPQ(PQclear);
  call(result);
}

static inline int cpq_row_count(const PGresult *result) {
  CPQ(PQntuples);
  return call(result);
}

static inline const char *cpq_change_count(PGresult *result) {
  CPQ(PQcmdTuples);
  return call(result);
}

static inline const char *cpq_command(PGresult *result) {
  CPQ(PQcmdStatus);
  return call(result);
}

static inline int cpq_is_null(const PGresult *result, int row, int column) {
  CPQ(PQgetisnull);
  return call(result, row, column);
}

static inline const char *cpq_value(const PGresult *result, int row, int column) {
  CPQ(PQgetvalue);
  return call(result, row, column);
}

static inline int cpq_length(const PGresult *result, int row, int column) {
  CPQ(PQgetlength);
  return call(result, row, column);
}

#endif
