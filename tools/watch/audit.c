/* Writes what the loader of the process does to the file that WATCH_LOG names: `+ PATH` for an object that is opened, `- PATH` for one that
   is closed, `=` when all that an open brought along is there. Children of the process write nothing. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int log_file = -1;
static pid_t own;

static void say(char what, const char *path) {
  char line[PATH_MAX + 4], real[PATH_MAX];
  if (log_file < 0 || getpid() != own) return;
  /* The name after all links, as /proc/self/maps shows it. */
  if (*path != '\0' && realpath(path, real) != NULL) path = real;
  int length = snprintf(line, sizeof line, "%c %s\n", what, path);
  if (write(log_file, line, length) < 0) _exit(99);
}

unsigned la_version(unsigned version) {
  (void)version;
  const char *path = getenv("WATCH_LOG");
  if (path != NULL && *path != '\0') log_file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0600);
  own = getpid();
  return LAV_CURRENT;
}
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
  *cookie = (uintptr_t)map;
  if (space == LM_ID_BASE) say('+', map->l_name);
  return 0;
}
unsigned la_objclose(uintptr_t *cookie) { say('-', ((struct link_map *)*cookie)->l_name); return 0; }
void la_activity(uintptr_t *cookie, unsigned flag) { (void)cookie; if (flag == LA_ACT_CONSISTENT) say('=', ""); }
