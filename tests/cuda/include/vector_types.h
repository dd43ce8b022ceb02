/* CUDA's vectors of two to four numbers and dim3, for tests without a GPU. */
#ifndef GANNET_TESTS_CUDA_VECTOR_TYPES_H
#define GANNET_TESTS_CUDA_VECTOR_TYPES_H

#define FAKE_VECTORS(type, name, a2, a4)                                                                               \
    struct name##1                                                                                                     \
    {                                                                                                                  \
        type x;                                                                                                        \
    };                                                                                                                 \
    struct __attribute__((aligned(a2))) name##2                                                                        \
    {                                                                                                                  \
        type x, y;                                                                                                     \
    };                                                                                                                 \
    struct name##3                                                                                                     \
    {                                                                                                                  \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    struct __attribute__((aligned(a4))) name##4                                                                        \
    {                                                                                                                  \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    typedef struct name##1 name##1;                                                                                    \
    typedef struct name##2 name##2;                                                                                    \
    typedef struct name##3 name##3;                                                                                    \
    typedef struct name##4 name##4;

FAKE_VECTORS(float, float, 8, 16)
FAKE_VECTORS(double, double, 16, 16)
FAKE_VECTORS(int, int, 8, 16)
FAKE_VECTORS(unsigned int, uint, 8, 16)
FAKE_VECTORS(short, short, 4, 8)
FAKE_VECTORS(unsigned short, ushort, 4, 8)
FAKE_VECTORS(signed char, char, 2, 4)
FAKE_VECTORS(unsigned char, uchar, 2, 4)
FAKE_VECTORS(long long int, longlong, 16, 16)
FAKE_VECTORS(unsigned long long int, ulonglong, 16, 16)
#undef FAKE_VECTORS

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz)
    {
    }
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
#endif
} dim3;

#endif
