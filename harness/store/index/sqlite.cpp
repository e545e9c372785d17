#include "store/index/sqlite.h"

#include <sqlite3.h>

#include <system_error>

namespace plumbline {

namespace {

DatabaseError error_of(const std::string& text, int code) {
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:  // such as a missing table
      return {text, true};
    default:
      return {text, false};
  }
}

/// SQLite's words, and the system's reason where it has one.
std::string words_of(sqlite3* database, int code) {
  if (!database) return "there is not enough memory";
  const std::string text = ::sqlite3_errmsg(database);
  const bool is_of_system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  const int reason = is_of_system ? ::sqlite3_system_errno(database) : 0;
  return reason == 0 ? text : text + ": " + std::generic_category().message(reason);
}

}  // namespace

Database::Database(const std::string& path, int wait_s) {
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = ::sqlite3_open_v2(path.c_str(), &database_, kFlags, nullptr);
  if (code == SQLITE_OK) {
    ::sqlite3_busy_timeout(database_, 1000 * wait_s);
    return;
  }
  const std::string text = words_of(database_, code);
  ::sqlite3_close(database_);
  throw error_of(text, code);
}

Database::~Database() { ::sqlite3_close(database_); }

void Database::fail(int code) const { throw error_of(words_of(database_, code), code); }

void Database::run(const char* sql) {
  if (const int code = ::sqlite3_exec(database_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK)
    fail(code);
}

std::int64_t Database::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::int64_t Database::last_row() const { return ::sqlite3_last_insert_rowid(database_); }

Statement::Statement(Database& database, const char* sql) : database_(database) {
  check(::sqlite3_prepare_v2(database.get(), sql, -1, &statement_, nullptr));
}

Statement::~Statement() { ::sqlite3_finalize(statement_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) database_.fail(code);
}

Statement& Statement::bind(int parameter, std::int64_t number) {
  check(::sqlite3_bind_int64(statement_, parameter + 1, number));
  return *this;
}

Statement& Statement::bind(int parameter, double number) {
  check(::sqlite3_bind_double(statement_, parameter + 1, number));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(::sqlite3_bind_text(statement_, parameter + 1, text.data() ? text.data() : "",
                            int(text.size()), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view bytes) {
  check(::sqlite3_bind_blob(statement_, parameter + 1, bytes.data() ? bytes.data() : "",
                            int(bytes.size()), SQLITE_STATIC));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  check(::sqlite3_bind_null(statement_, parameter + 1));
  return *this;
}

bool Statement::step() {
  const int code = ::sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() { ::sqlite3_reset(statement_); }

std::int64_t Statement::number(int column) const {
  return ::sqlite3_column_int64(statement_, column);
}

bool Statement::is_null(int column) const {
  return ::sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string_view Statement::text(int column) const {
  const void* bytes = ::sqlite3_column_blob(statement_, column);  // UTF-8 of a text as well
  const int size = ::sqlite3_column_bytes(statement_, column);
  return bytes ? std::string_view(static_cast<const char*>(bytes), std::size_t(size)) : "";
}

}  // namespace plumbline
