// Debian 12's ncurses, with functions for what are macros and global variables there, which Swift does not import.
#ifndef RINGSIDE_NCURSES_H
#define RINGSIDE_NCURSES_H

#ifndef NCURSES_WIDECHAR
#define NCURSES_WIDECHAR 1
#endif
#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/// Takes over the terminal of standard input and output. Returns 0 if it cannot show a screen.
static inline int ringside_screen_begin(int has_colours) {
    // Names may hold any letters. A locale without them would turn them into question marks.
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1) setlocale(LC_CTYPE, "C.UTF-8");
    if (newterm(NULL, stdout, stdin) == NULL) return 0;
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    curs_set(0);
    set_escdelay(25);
    if (has_colours && has_colors()) {
        start_color();
        use_default_colors();
        init_pair(1, COLOR_RED, -1);
        init_pair(2, COLOR_YELLOW, -1);
    }
    return 1;
}

static inline int ringside_screen_rows(void) { return getmaxy(stdscr); }
static inline int ringside_screen_columns(void) { return getmaxx(stdscr); }

static inline void ringside_screen_put(int row, const char *text, unsigned int attributes) {
    attrset((int)attributes);
    mvaddstr(row, 0, text);
    attrset((int)A_NORMAL);
}

static inline unsigned int ringside_screen_bold(void) { return A_BOLD; }
static inline unsigned int ringside_screen_reverse(void) { return A_REVERSE; }
static inline unsigned int ringside_screen_red(void) { return COLOR_PAIR(1) | A_BOLD; }
static inline unsigned int ringside_screen_yellow(void) { return COLOR_PAIR(2); }

/// Waits for a key. Returns ERR if none came, OK for a character, KEY_CODE_YES for another key.
static inline int ringside_screen_key(int milliseconds, unsigned int *key) {
    wint_t code = 0;
    timeout(milliseconds);
    int kind = get_wch(&code);
    *key = (unsigned int)code;
    return kind;
}

#endif
