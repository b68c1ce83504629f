// Component-wise overloads of scalar functions: one per width, none a template, so that overload resolution and
// implicit splats work as they do for Metal's own overload sets.
#ifndef AKARI_MAP_H
#define AKARI_MAP_H
#include "metal_vector"

#define AKARI_MAP_1_N(R, T, F, N) \
    AKARI_INLINE vec<R, N> F(vec<T, N> x) { vec<R, N> to{}; for (int i = 0; i < N; ++i) to.e[i] = F(x.e[i]); return to; }
#define AKARI_MAP_2_N(R, T, U, F, N) \
    AKARI_INLINE vec<R, N> F(vec<T, N> x, vec<U, N> y) { vec<R, N> to{}; for (int i = 0; i < N; ++i) to.e[i] = F(x.e[i], y.e[i]); return to; }
#define AKARI_MAP_3_N(R, T, U, V, F, N) \
    AKARI_INLINE vec<R, N> F(vec<T, N> x, vec<U, N> y, vec<V, N> z) { vec<R, N> to{}; for (int i = 0; i < N; ++i) to.e[i] = F(x.e[i], y.e[i], z.e[i]); return to; }
#define AKARI_MAP_1(R, T, F) AKARI_MAP_1_N(R, T, F, 2) AKARI_MAP_1_N(R, T, F, 3) AKARI_MAP_1_N(R, T, F, 4)
#define AKARI_MAP_2(R, T, U, F) AKARI_MAP_2_N(R, T, U, F, 2) AKARI_MAP_2_N(R, T, U, F, 3) AKARI_MAP_2_N(R, T, U, F, 4)
#define AKARI_MAP_3(R, T, U, V, F) AKARI_MAP_3_N(R, T, U, V, F, 2) AKARI_MAP_3_N(R, T, U, V, F, 3) AKARI_MAP_3_N(R, T, U, V, F, 4)

// Functions of float and half, the first also as metal::fast:: and metal::precise::. A half goes through float.
// Metal's default is fast: EXPR is free to lose NaN and infinity where PRECISE, if given, is not.
#define AKARI_FLOAT_1_PRECISE(F, EXPR, PRECISE) \
    namespace fast { AKARI_INLINE float F(float x) { return EXPR; } AKARI_MAP_1(float, float, F) } \
    namespace precise { AKARI_INLINE float F(float x) { return PRECISE; } AKARI_MAP_1(float, float, F) } \
    AKARI_INLINE float F(float x) { return EXPR; } \
    AKARI_INLINE half F(half x) { return half(precise::F(float(x))); } \
    AKARI_MAP_1(float, float, F) AKARI_MAP_1(half, half, F)
#define AKARI_FLOAT_2_PRECISE(F, EXPR, PRECISE) \
    namespace fast { AKARI_INLINE float F(float x, float y) { return EXPR; } AKARI_MAP_2(float, float, float, F) } \
    namespace precise { AKARI_INLINE float F(float x, float y) { return PRECISE; } AKARI_MAP_2(float, float, float, F) } \
    AKARI_INLINE float F(float x, float y) { return EXPR; } \
    AKARI_INLINE half F(half x, half y) { return half(precise::F(float(x), float(y))); } \
    AKARI_MAP_2(float, float, float, F) AKARI_MAP_2(half, half, half, F)
#define AKARI_FLOAT_3_PRECISE(F, EXPR, PRECISE) \
    namespace fast { AKARI_INLINE float F(float x, float y, float z) { return EXPR; } AKARI_MAP_3(float, float, float, float, F) } \
    namespace precise { AKARI_INLINE float F(float x, float y, float z) { return PRECISE; } AKARI_MAP_3(float, float, float, float, F) } \
    AKARI_INLINE float F(float x, float y, float z) { return EXPR; } \
    AKARI_INLINE half F(half x, half y, half z) { return half(precise::F(float(x), float(y), float(z))); } \
    AKARI_MAP_3(float, float, float, float, F) AKARI_MAP_3(half, half, half, half, F)
#define AKARI_FLOAT_1(F, EXPR) AKARI_FLOAT_1_PRECISE(F, EXPR, EXPR)
#define AKARI_FLOAT_2(F, EXPR) AKARI_FLOAT_2_PRECISE(F, EXPR, EXPR)
#define AKARI_FLOAT_3(F, EXPR) AKARI_FLOAT_3_PRECISE(F, EXPR, EXPR)
#endif
