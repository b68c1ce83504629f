//! case: pointer without an address space
void f(float *p) { *p = 1.0; } //~ points without an address space
//! case: reference without an address space
void f(float3& v) { v = float3(1.0); } //~ points without an address space
//! case: local pointer without an address space
void f() { float x = 1.0; float* p = &x; } //~ points without an address space
//! case: field pointer without an address space
struct S { float* p; }; //~ points without an address space
//! case: device to thread
void g(thread float& x);
void f(device float* p) { g(p[0]); } //~ no matching function
//! case: device to constant
void f(device float* p) { constant float* q = p; } //~ cannot initialize
//! case: constant to device
void f(constant float* p) { device const float* q = p; } //~ cannot initialize
//! case: thread to threadgroup
void g(threadgroup float* x);
void f() { float x = 1.0; g(&x); } //~ no matching function
//! case: write to constant
void f(constant float* p) { p[0] = 1.0; } //~ not assignable
//! case: write to a field of constant
struct S { float3 v; };
void f(constant S& s) { s.v.x = 1.0; } //~ not marked const
//! case: write to const device
void f(device const uint* p) { p[0] = 1u; } //~ not assignable
//! case: global that is not constant
float counter = 0.0; //~ not in the constant address space
void f() { }
//! case: const global that is not constant
const float scale = 2.0; //~ not in the constant address space
void f() { }
//! case: constant without initializer
constant float scale; //~ no initializer
//! case: constant with a run-time initializer
float g() { return 1.0; }
constant float scale = g(); //~ must be initialized by a constant expression
//! case: write to a program-scope constant
constant float table[2] = {1.0, 2.0};
void f() { table[0] = 3.0; } //~ cannot assign
//! case: static local
void f() { static int n = 0; } //~ static variable
//! case: threadgroup variable outside a kernel
void f() { threadgroup float tile[4]; tile[0] = 1.0; } //~ which is no kernel
//! case: threadgroup variable with an initializer
kernel void k() { threadgroup uint count = 0u; } //~ has an initializer
//! case: reference to a vector component
void g(thread float& x);
void f() { float3 v = float3(1.0); g(v.x); } //~ no matching function
//! case: reference to a vector element
void g(thread float& x);
void f(uint i) { float3 v = float3(1.0); g(v[i]); } //~ no matching function
//! case: pointer to a swizzle
void f() { float3 v = float3(1.0); thread float2* p = &v.xy; } //~ cannot
//! case: array parameter
float f(float a[4]) { return a[0]; } //~ pointer without an address space
