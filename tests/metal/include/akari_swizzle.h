// Selections of vector components as properties: reading gives a value, writing stores, and no reference can bind to
// one. Both letter sets name the same accessors; mixing them names nothing.
#ifndef AKARI_SWIZZLE_H
#define AKARI_SWIZZLE_H

#define AKARI_PICK_1(a, ra, ia) \
    constexpr T akari_get_##a() const { return e[ia]; } \
    void akari_put_##a(T v) { e[ia] = v; } \
    __declspec(property(get = akari_get_##a, put = akari_put_##a)) T a; \
    __declspec(property(get = akari_get_##a, put = akari_put_##a)) T ra;

#define AKARI_PICK_2(a, ra, ia, b, rb, ib) \
    constexpr vec<T, 2> akari_get_##a##b() const { return vec<T, 2>(e[ia], e[ib]); } \
    void akari_put_##a##b(vec<T, 2> v) { \
        static_assert(sizeof(T) && ia != ib, "a component is written twice"); \
        e[ia] = v.e[0]; e[ib] = v.e[1]; \
    } \
    __declspec(property(get = akari_get_##a##b, put = akari_put_##a##b)) vec<T, 2> a##b; \
    __declspec(property(get = akari_get_##a##b, put = akari_put_##a##b)) vec<T, 2> ra##rb;

#define AKARI_PICK_3(a, ra, ia, b, rb, ib, c, rc, ic) \
    constexpr vec<T, 3> akari_get_##a##b##c() const { return vec<T, 3>(e[ia], e[ib], e[ic]); } \
    void akari_put_##a##b##c(vec<T, 3> v) { \
        static_assert(sizeof(T) && ia != ib && ia != ic && ib != ic, "a component is written twice"); \
        e[ia] = v.e[0]; e[ib] = v.e[1]; e[ic] = v.e[2]; \
    } \
    __declspec(property(get = akari_get_##a##b##c, put = akari_put_##a##b##c)) vec<T, 3> a##b##c; \
    __declspec(property(get = akari_get_##a##b##c, put = akari_put_##a##b##c)) vec<T, 3> ra##rb##rc;

#define AKARI_PICK_4(a, ra, ia, b, rb, ib, c, rc, ic, d, rd, id) \
    constexpr vec<T, 4> akari_get_##a##b##c##d() const { return vec<T, 4>(e[ia], e[ib], e[ic], e[id]); } \
    void akari_put_##a##b##c##d(vec<T, 4> v) { \
        static_assert(sizeof(T) && ia != ib && ia != ic && ia != id && ib != ic && ib != id && ic != id, "a component is written twice"); \
        e[ia] = v.e[0]; e[ib] = v.e[1]; e[ic] = v.e[2]; e[id] = v.e[3]; \
    } \
    __declspec(property(get = akari_get_##a##b##c##d, put = akari_put_##a##b##c##d)) vec<T, 4> a##b##c##d; \
    __declspec(property(get = akari_get_##a##b##c##d, put = akari_put_##a##b##c##d)) vec<T, 4> ra##rb##rc##rd;

// One more component after those given, for vectors of 2, 3 and 4. The preprocessor does not recurse, hence the copies.
#define AKARI_NEXT_A_2(M) M(x, r, 0) M(y, g, 1)
#define AKARI_NEXT_A_3(M) AKARI_NEXT_A_2(M) M(z, b, 2)
#define AKARI_NEXT_A_4(M) AKARI_NEXT_A_3(M) M(w, a, 3)
#define AKARI_NEXT_B_2(M, ...) M(__VA_ARGS__, x, r, 0) M(__VA_ARGS__, y, g, 1)
#define AKARI_NEXT_B_3(M, ...) AKARI_NEXT_B_2(M, __VA_ARGS__) M(__VA_ARGS__, z, b, 2)
#define AKARI_NEXT_B_4(M, ...) AKARI_NEXT_B_3(M, __VA_ARGS__) M(__VA_ARGS__, w, a, 3)
#define AKARI_NEXT_C_2(M, ...) M(__VA_ARGS__, x, r, 0) M(__VA_ARGS__, y, g, 1)
#define AKARI_NEXT_C_3(M, ...) AKARI_NEXT_C_2(M, __VA_ARGS__) M(__VA_ARGS__, z, b, 2)
#define AKARI_NEXT_C_4(M, ...) AKARI_NEXT_C_3(M, __VA_ARGS__) M(__VA_ARGS__, w, a, 3)
#define AKARI_NEXT_D_2(M, ...) M(__VA_ARGS__, x, r, 0) M(__VA_ARGS__, y, g, 1)
#define AKARI_NEXT_D_3(M, ...) AKARI_NEXT_D_2(M, __VA_ARGS__) M(__VA_ARGS__, z, b, 2)
#define AKARI_NEXT_D_4(M, ...) AKARI_NEXT_D_3(M, __VA_ARGS__) M(__VA_ARGS__, w, a, 3)

#define AKARI_FROM_3_2(...) AKARI_NEXT_D_2(AKARI_PICK_4, __VA_ARGS__)
#define AKARI_FROM_3_3(...) AKARI_NEXT_D_3(AKARI_PICK_4, __VA_ARGS__)
#define AKARI_FROM_3_4(...) AKARI_NEXT_D_4(AKARI_PICK_4, __VA_ARGS__)
#define AKARI_FROM_2_2(...) AKARI_NEXT_C_2(AKARI_PICK_3, __VA_ARGS__) AKARI_NEXT_C_2(AKARI_FROM_3_2, __VA_ARGS__)
#define AKARI_FROM_2_3(...) AKARI_NEXT_C_3(AKARI_PICK_3, __VA_ARGS__) AKARI_NEXT_C_3(AKARI_FROM_3_3, __VA_ARGS__)
#define AKARI_FROM_2_4(...) AKARI_NEXT_C_4(AKARI_PICK_3, __VA_ARGS__) AKARI_NEXT_C_4(AKARI_FROM_3_4, __VA_ARGS__)
#define AKARI_FROM_1_2(...) AKARI_NEXT_B_2(AKARI_PICK_2, __VA_ARGS__) AKARI_NEXT_B_2(AKARI_FROM_2_2, __VA_ARGS__)
#define AKARI_FROM_1_3(...) AKARI_NEXT_B_3(AKARI_PICK_2, __VA_ARGS__) AKARI_NEXT_B_3(AKARI_FROM_2_3, __VA_ARGS__)
#define AKARI_FROM_1_4(...) AKARI_NEXT_B_4(AKARI_PICK_2, __VA_ARGS__) AKARI_NEXT_B_4(AKARI_FROM_2_4, __VA_ARGS__)

#define AKARI_SWIZZLES_2 AKARI_NEXT_A_2(AKARI_PICK_1) AKARI_NEXT_A_2(AKARI_FROM_1_2)
#define AKARI_SWIZZLES_3 AKARI_NEXT_A_3(AKARI_PICK_1) AKARI_NEXT_A_3(AKARI_FROM_1_3)
#define AKARI_SWIZZLES_4 AKARI_NEXT_A_4(AKARI_PICK_1) AKARI_NEXT_A_4(AKARI_FROM_1_4)
#endif
