// Akari's own Metal headers, in two modes.
//
// AKARI_METAL_CHECK: the text is only type-checked, in clang's C++ for OpenCL mode, whose address spaces, generic
// `this` and implicit copies across address spaces are what Metal's type system needs. `constant` is a const __global,
// `device` a target address space, so that none of the four converts to another.
//
// Otherwise (run mode): plain C++17 for the host, in which address spaces are empty words.
#ifndef AKARI_MODE_H
#define AKARI_MODE_H

#ifdef AKARI_METAL_CHECK

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Words that OpenCL reserves and Metal does not.
#define global akari_word_global
#define local akari_word_local
#define generic akari_word_generic
#define pipe akari_word_pipe
#define read_only akari_word_read_only
#define write_only akari_word_write_only
#define read_write akari_word_read_write
#define vec_step akari_word_vec_step
#define sampler_t akari_word_sampler_t
#define event_t akari_word_event_t
#define queue_t akari_word_queue_t
#define cl_mem_fence_flags akari_word_cl_mem_fence_flags

// Types that OpenCL defines ahead of any text.
#define atomic_int akari_word_atomic_int
#define atomic_uint akari_word_atomic_uint
#define atomic_long akari_word_atomic_long
#define atomic_ulong akari_word_atomic_ulong
#define atomic_float akari_word_atomic_float
#define atomic_flag akari_word_atomic_flag

#define device __attribute__((address_space(1)))
#define constant const __global
#define threadgroup __local
#define thread __private
// As a qualifier of a member function.
#define AKARI_IN_CONSTANT const __global
// An element of a vector is no object: no pointer or reference binds to it.
#define AKARI_ELEMENT __attribute__((address_space(77)))

#else

#define device
#define constant const
#define threadgroup
#define thread
#define AKARI_ELEMENT

#endif

#define kernel
#define vertex
#define fragment

#define AKARI_INLINE static inline __attribute__((always_inline))

#endif
