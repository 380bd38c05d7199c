// SQLite: rows of 200 series a minute, 60 minutes, a transaction a minute. Each row has a key of two numbers and 64
// bytes. The journal is a write-ahead log that is not waited for, as in the history. The file lies where a bench's
// rings lie.
#include <sqlite3.h>
#include <unistd.h>

#include "peer.h"

static double thread_nanoseconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void run(sqlite3 *database, const char *text) {
    if (sqlite3_exec(database, text, nullptr, nullptr, nullptr) == SQLITE_OK) return;
    std::fprintf(stderr, "%s: %s\n", text, sqlite3_errmsg(database));
    std::exit(1);
}

static double insert(const char *folder) {
    constexpr int series = 200, minutes = 60;
    std::string path = std::string(folder) + "/rows.db";
    char payload[64] = {1};
    sqlite3 *database;
    sqlite3_stmt *statement;
    double begun = thread_nanoseconds();
    if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) std::exit(1);
    run(database, "PRAGMA journal_mode = WAL");
    run(database, "PRAGMA synchronous = NORMAL");
    run(database, "CREATE TABLE minutes(series INTEGER, minute INTEGER, data BLOB, PRIMARY KEY(series, minute)) WITHOUT ROWID");
    sqlite3_prepare_v2(database, "INSERT INTO minutes VALUES (?, ?, ?)", -1, &statement, nullptr);
    for (int minute = 0; minute < minutes; minute++) {
        run(database, "BEGIN");
        for (int number = 0; number < series; number++) {
            sqlite3_bind_int(statement, 1, number);
            sqlite3_bind_int(statement, 2, minute);
            sqlite3_bind_blob(statement, 3, payload, sizeof payload, SQLITE_STATIC);
            sqlite3_step(statement);
            sqlite3_reset(statement);
        }
        run(database, "COMMIT");
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    double taken = thread_nanoseconds() - begun;
    unlink(path.c_str());
    return taken / (series * minutes);
}

int main(int count, char **words) {
    peer::Options options(count, words);
    peer::pin(options.ours);
    char folder[] = "/dev/shm/ringside-bench-sqlite-XXXXXX";
    if (!mkdtemp(folder)) return 1;
    int status = peer::serve([&] { return peer::figures("insert", insert(folder)); });
    rmdir(folder);
    return status;
}
