// libedit's variadic setters, each with one type of value: Swift can't call variadic C functions.
#ifndef SATCHEL_CLIBEDIT_SHIM_H
#define SATCHEL_CLIBEDIT_SHIM_H

#include <histedit.h>
#include <locale.h>
#include <wchar.h>

typedef wchar_t *(*clibedit_prompt_function)(EditLine *editor);
typedef unsigned char (*clibedit_key_function)(EditLine *editor, wint_t key);

static inline int clibedit_set_prompt(EditLine *editor, clibedit_prompt_function function) {
  return el_wset(editor, EL_PROMPT, function);
}

// The function says 1 for a character, 0 at the end of the input, -1 for an error.
static inline int clibedit_set_reader(EditLine *editor, el_rfunc_t function) {
  return el_wset(editor, EL_GETCFN, function);
}

// libedit keeps the pointer.
static inline int clibedit_set_client(EditLine *editor, void *client) {
  return el_wset(editor, EL_CLIENTDATA, client);
}

static inline void *clibedit_client(EditLine *editor) {
  void *client = NULL;
  return el_wget(editor, EL_CLIENTDATA, &client) == 0 ? client : NULL;
}

// libedit's handlers of signals serve a process with one thread: without them.
static inline int clibedit_ignore_signals(EditLine *editor) { return el_wset(editor, EL_SIGNAL, 0); }

// While a line is edited, Ctrl-C, Ctrl-Z and Ctrl-S are keys like others.
static inline int clibedit_take_all_keys(EditLine *editor) {
  return el_wset(editor, EL_SETTY, L"-d", L"-isig", L"-ixon", NULL);
}

// libedit keeps the name and the help.
static inline int clibedit_add_function(
    EditLine *editor, const wchar_t *name, const wchar_t *help, clibedit_key_function function) {
  return el_wset(editor, EL_ADDFN, name, help, function);
}

static inline int clibedit_bind(EditLine *editor, const wchar_t *key, const wchar_t *function) {
  return el_wset(editor, EL_BIND, key, function, NULL);
}

// The keys of vi's command mode.
static inline int clibedit_bind_command(EditLine *editor, const wchar_t *key, const wchar_t *function) {
  return el_wset(editor, EL_BIND, L"-a", key, function, NULL);
}

static inline int clibedit_use_emacs(EditLine *editor) { return el_wset(editor, EL_EDITOR, L"emacs"); }

// 1 for vi's keys, 0 for those of Emacs.
static inline int clibedit_uses_vi(EditLine *editor) {
  const wchar_t *name = NULL;
  return el_wget(editor, EL_EDITOR, &name) == 0 && name != NULL && name[0] == L'v';
}

static inline int clibedit_use_history(EditLine *editor, HistoryW *history) {
  return el_wset(editor, EL_HIST, history_w, history);
}

// Draws prompt and line anew where the cursor stands, which must be the beginning of an empty row.
static inline int clibedit_draw(EditLine *editor) { return el_wset(editor, EL_REFRESH); }

// Between keys that are read one by one and lines that the terminal edits.
static inline int clibedit_take_terminal(EditLine *editor, int taken) { return el_wset(editor, EL_PREP_TERM, taken); }

static inline int clibedit_history_size(HistoryW *history, int size) {
  HistEventW event;
  return history_w(history, &event, H_SETSIZE, size);
}

static inline int clibedit_history_enter(HistoryW *history, const wchar_t *line) {
  HistEventW event;
  return history_w(history, &event, H_ENTER, line);
}

// wcwidth(3), which <wchar.h> declares only under feature macros; these would have to be the same in every module.
static inline int clibedit_width(wchar_t character) {
  extern int wcwidth(wchar_t character);
  return wcwidth(character);
}

// A locale of UTF-8 characters, for one thread at a time (uselocale(3)); null where the system has none.
static inline locale_t clibedit_utf8_locale(void) { return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

#endif
