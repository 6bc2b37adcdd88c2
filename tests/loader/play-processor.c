// Runs a program on a processor that is not there: every CPUID and XGETBV of its loader is answered here. For AVX-512, which qemu-user
// does not have, and for what nobody has at hand. Only the loader is told: what a C library then chooses may not run on the real one.
//
//   play-processor OFFSETS VENDOR FLAGS PROGRAM [WORD…]
//
// OFFSETS: where the loader has these instructions, as objdump lists them: 1a2f,3b40; VENDOR: the twelve characters of CPUID;
// FLAGS: as in /proc/cpuinfo. Static, so that it can be put into any root and variables for the loader do not touch it.
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EBX, ECX, EDX };
static const struct {
  const char *name;
  unsigned leaf, reg, bit;
} features[] = {
  { "pni", 1, ECX, 0 },       { "vmx", 1, ECX, 5 },       { "ssse3", 1, ECX, 9 },     { "fma", 1, ECX, 12 },
  { "cx16", 1, ECX, 13 },     { "sse4_1", 1, ECX, 19 },   { "sse4_2", 1, ECX, 20 },   { "movbe", 1, ECX, 22 },
  { "popcnt", 1, ECX, 23 },   { "avx", 1, ECX, 26 },      { "avx", 1, ECX, 27 },      { "avx", 1, ECX, 28 },
  { "f16c", 1, ECX, 29 },     { "bmi1", 7, EBX, 3 },      { "avx2", 7, EBX, 5 },      { "bmi2", 7, EBX, 8 },
  { "avx512f", 7, EBX, 16 },  { "avx512dq", 7, EBX, 17 }, { "avx512pf", 7, EBX, 26 }, { "avx512er", 7, EBX, 27 },
  { "avx512cd", 7, EBX, 28 }, { "avx512bw", 7, EBX, 30 }, { "avx512vl", 7, EBX, 31 }, { "lahf_lm", 0x80000001, ECX, 0 },
  { "abm", 0x80000001, ECX, 5 },
};

static const char *vendor, *flags;

static int has(const char *name) {
  size_t length = strlen(name);
  for (const char *at = flags; (at = strstr(at, name)); at += length)
    if ((at == flags || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return 1;
  return 0;
}

static void answer_cpuid(struct user_regs_struct *regs) {
  unsigned leaf = regs->rax, sub = regs->rcx, eax, out[3];
  __cpuid_count(leaf, sub, eax, out[EBX], out[ECX], out[EDX]);
  if (leaf == 0) {
    memcpy(&out[EBX], vendor, 4);
    memcpy(&out[EDX], vendor + 4, 4);
    memcpy(&out[ECX], vendor + 8, 4);
  }
  if (leaf != 7 || sub == 0)
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
      if (features[i].leaf == leaf) {
        out[features[i].reg] &= ~(1u << features[i].bit);
        out[features[i].reg] |= (unsigned)has(features[i].name) << features[i].bit;
      }
  regs->rax = eax, regs->rbx = out[EBX], regs->rcx = out[ECX], regs->rdx = out[EDX];
}

static void answer_xgetbv(struct user_regs_struct *regs) {
  regs->rax = (has("avx") ? 7 : 3) | (has("avx512f") ? 0xe0 : 0);
  regs->rdx = 0;
}

// Where the loader lies: the kernel says it on the stack, behind the words and the variables.
static unsigned long loader_of(pid_t child) {
  struct user_regs_struct regs;
  ptrace(PTRACE_GETREGS, child, 0, &regs);
  unsigned long at = regs.rsp + 8;
  errno = 0;
  for (int lists = 0; lists < 2 && !errno; at += 8)
    if (ptrace(PTRACE_PEEKDATA, child, at, 0) == 0) lists++;
  unsigned long headers = 0, base = 0;
  for (long type; (type = ptrace(PTRACE_PEEKDATA, child, at, 0)) != AT_NULL && !errno; at += 16) {
    if (type == AT_BASE) base = ptrace(PTRACE_PEEKDATA, child, at + 8, 0);
    if (type == AT_PHDR) headers = ptrace(PTRACE_PEEKDATA, child, at + 8, 0);
  }
  // The loader itself may be what was started.
  return base ? base : headers & ~0xfffUL;
}

static int is_cpuid(long word) { return (word & 0xffff) == 0xa20f; }
static int is_xgetbv(long word) { return (word & 0xffffff) == 0xd0010f; }

int main(int count, char **words) {
  if (count < 5) return fprintf(stderr, "usage: play-processor OFFSETS VENDOR FLAGS PROGRAM [WORD…]\n"), 2;
  vendor = words[2], flags = words[3];
  if (strlen(vendor) != 12) return fprintf(stderr, "play-processor: a vendor has twelve characters\n"), 2;
  pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0) {
      fprintf(stderr, "play-processor: ptrace is not allowed\n");
      _exit(125);
    }
    execv(words[4], words + 4);
    fprintf(stderr, "exec: %d\n", errno);
    _exit(126);
  }
  int status, pass = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  unsigned long base = loader_of(child);
  for (char *at = words[1]; *at; at += *at == ',') {
    unsigned long address = base + strtoul(at, &at, 16);
    long word = ptrace(PTRACE_PEEKTEXT, child, address, 0);
    if (is_cpuid(word) || is_xgetbv(word)) ptrace(PTRACE_POKETEXT, child, address, (word & ~0xffL) | 0xcc);
  }
  for (;;) {
    ptrace(PTRACE_CONT, child, 0, pass);
    if (waitpid(child, &status, 0) < 0) return 2;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) {
      signal(WTERMSIG(status), SIG_DFL);
      raise(WTERMSIG(status));
      return 128 + WTERMSIG(status);
    }
    pass = WSTOPSIG(status);
    if (pass != SIGTRAP) continue;
    pass = 0;
    struct user_regs_struct regs;
    ptrace(PTRACE_GETREGS, child, 0, &regs);
    // The trap took the place of the first byte, 0f.
    long word = (ptrace(PTRACE_PEEKTEXT, child, regs.rip - 1, 0) & ~0xffL) | 0x0f;
    if (is_cpuid(word)) answer_cpuid(&regs), regs.rip += 1;
    else if (is_xgetbv(word)) answer_xgetbv(&regs), regs.rip += 2;
    ptrace(PTRACE_SETREGS, child, 0, &regs);
  }
}
