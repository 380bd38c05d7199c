// Debian 12's SQLite, with the one constant that is a cast of a number to a function pointer, which Swift does not import.
#ifndef RINGSIDE_SQLITE_H
#define RINGSIDE_SQLITE_H

#include <sqlite3.h>

/// SQLITE_TRANSIENT: SQLite makes a copy of what is bound before the call returns.
static inline int ringside_sqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, place, bytes, count, SQLITE_TRANSIENT);
}

static inline int ringside_sqlite_bind_text(sqlite3_stmt *statement, int place, const char *text, int count) {
    return sqlite3_bind_text(statement, place, text, count, SQLITE_TRANSIENT);
}

#endif
