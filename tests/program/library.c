/* A library in the place of DXC's: it makes a container of a text, and misbehaves over texts that hold certain numbers. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct object { void **table; };
struct buffer { const char *pointer; size_t size; uint32_t encoding; };

static unsigned one(void *self) { (void)self; return 1; }
static int nothing(void *self) { (void)self; return -1; }

static unsigned char container[44 + 8];
static const void *blob_pointer(void *self) { (void)self; return container; }
static size_t blob_size(void *self) { (void)self; return sizeof container; }
static void *blob_table[] = { nothing, one, one, blob_pointer, blob_size };
static struct object blob = { blob_table };

static int status(void *self, int *status) { (void)self; *status = 0; return 0; }
static int has_output(void *self, uint32_t kind) { (void)self; return kind == 1; }
static int output(void *self, uint32_t kind, const void *id, void **to, void **name) {
    (void)self, (void)kind, (void)id, (void)name;
    *to = &blob;
    return 0;
}
static void *result_table[] = { nothing, one, one, status, nothing, nothing, has_output, output };
static struct object result = { result_table };

static int has(const struct buffer *text, const char *what) { return memmem(text->pointer, text->size, what, strlen(what)) != 0; }

static int overflow(volatile char *before) {
    volatile char more[4096];
    more[0] = before[0];
    return overflow(more) + more[0];
}

static int compile(void *self, const struct buffer *text, void *arguments, uint32_t count, void *includes, const void *id, void **to) {
    (void)self, (void)arguments, (void)count, (void)includes, (void)id;
    if (has(text, "101.0")) *(volatile int *)8 = 1;
    if (has(text, "102.0")) abort();
    if (has(text, "103.0")) return overflow((volatile char[1]){ 0 });
    if (has(text, "104.0")) exit(0);
    if (has(text, "105.0")) for (;;) pause();
    if (has(text, "106.0")) { usleep(300000); *(volatile int *)8 = 1; }
    *to = &result;
    return 0;
}
static void *compiler_table[] = { nothing, one, one, compile, nothing };
static struct object compiler = { compiler_table };

int DxcCreateInstance(const void *class, const void *id, void **to) {
    (void)class, (void)id;
#ifdef CRASHES_AT_ONCE
    abort();
#endif
#ifdef TRAPS_AT_ONCE
#ifdef __x86_64__
    /* Unlike after a fault, the processor goes on behind it. */
    __asm__ volatile("int3");
#else
    __builtin_trap();
#endif
#endif
#ifdef HANGS_AT_ONCE
    for (;;) pause();
#endif
    static const uint32_t words[] = { 1, sizeof container, 1, 36, 0x4c495844, 8 };
    memcpy(container, "DXBC", 4);
    memcpy(container + 20, words, sizeof words);
    *to = &compiler;
    return 0;
}
