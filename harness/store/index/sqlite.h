/// SQLite databases: open, prepare, bind, step. The only code that calls SQLite.
///
/// Knows no table. Every failure is a DatabaseError with SQLite's own words; is_damaged() tells the
/// ones after which the file is worth nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace plumbline {

class DatabaseError : public Error {
 public:
  DatabaseError(const std::string& text, bool is_damaged) : Error(text), is_damaged_(is_damaged) {}
  /// The file is no database, or a damaged one, or has other tables than expected.
  bool is_damaged() const { return is_damaged_; }

 private:
  bool is_damaged_;
};

/// An open database. One thread at a time may use it and its statements.
class Database {
 public:
  /// Opens or creates the file; ":memory:" is a private one that ends with the object. Another
  /// process that writes is waited for up to `wait_s`. Throws DatabaseError.
  Database(const std::string& path, int wait_s);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that give no rows. Throws DatabaseError.
  void run(const char* sql);
  /// The first value of the first row, as a number. Throws DatabaseError.
  std::int64_t number(const char* sql);
  /// The row that was inserted last.
  std::int64_t last_row() const;

  sqlite3* get() const { return database_; }
  [[noreturn]] void fail(int code) const;

 private:
  sqlite3* database_ = nullptr;
};

/// A prepared statement. Parameters and columns count from 0.
class Statement {
 public:
  /// Throws DatabaseError.
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// The bytes must stay as they are until the next reset().
  Statement& bind(int parameter, std::int64_t number);
  Statement& bind(int parameter, double number);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_bytes(int parameter, std::string_view bytes);
  Statement& bind_null(int parameter);

  /// Next row; false after the last one. Throws DatabaseError.
  bool step();
  /// Runs it to the end and makes it ready for other parameters. Throws DatabaseError.
  void run();
  void reset();

  std::int64_t number(int column) const;
  bool is_null(int column) const;
  /// Text or bytes, valid until the next step.
  std::string_view text(int column) const;

 private:
  void check(int code) const;

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace plumbline
