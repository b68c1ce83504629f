//! case: vector to another vector type
float3 f(int3 v) { return v; } //~ no viable conversion
//! case: vector of another width
float3 f(float4 v) { return v; } //~ no viable conversion
//! case: uint vector to int vector
void f(uint3 v) { int3 w = v; } //~ no viable conversion
//! case: half vector to float vector
void f(half3 v) { float3 w = v; } //~ no viable conversion
//! case: vector to scalar
float f(float2 v) { return v; } //~ no viable conversion
//! case: adding vectors of two types
float3 f(float3 a, int3 b) { return a + b; } //~ invalid operands
//! case: adding vectors of two widths
float3 f(float3 a, float2 b) { return a + b; } //~ invalid operands
//! case: adding a float to an int vector
int3 f(int3 a) { return a + 1.5; } //~ deleted operator
//! case: too few components
float3 f(float2 a) { return float3(a); } //~ no matching conversion
//! case: too many components
float3 f(float2 a) { return float3(a, a); } //~ no matching constructor
//! case: components of another vector type
float3 f(int2 a) { return float3(a, 1.0); } //~ no matching constructor
//! case: mixed swizzle sets
float2 f(float4 a) { return a.xg; } //~ no member named 'xg'
//! case: component beyond the vector
float f(float2 a) { return a.z; } //~ no member named 'z'
//! case: swizzle of a scalar
float f(float a) { return a.x; } //~ is not a structure
//! case: writing a component twice
void f() { float3 v = float3(1.0); v.xx = float2(2.0); }
//! case: condition that is a vector
float f(float3 a, float3 b) { if (a < b) { return 1.0; } return 0.0; } //~ is not contextually convertible to 'bool'
//! case: ternary on a vector
float3 f(bool3 c, float3 a, float3 b) { return c ? a : b; } //~ is not contextually convertible to 'bool'
//! case: comparing a vector gives bools
float3 f(float3 a, float3 b) { return a < b; } //~ no viable conversion
//! case: remainder of float vectors
float3 f(float3 a, float3 b) { return a % b; }
//! case: remainder of floats
float f(float a, float b) { return a % b; } //~ invalid operands
//! case: bits of float vectors
float3 f(float3 a) { return a & a; }
//! case: double
double f() { return 1.0; } //~ not in Metal
//! case: ambiguous max
float f(float a) { return max(a, 1); } //~ ambiguous
//! case: max of half and float
half f(half a, float b) { return max(a, b); } //~ ambiguous
//! case: dot of integers
int f(int3 a) { return dot(a, a); } //~ no matching function
//! case: length of a scalar
float f(float a) { return length(a); } //~ ambiguous
//! case: as_type between sizes
uint f(float2 a) { return as_type<uint>(a); }
//! case: matrix times vector of the wrong width
float3 f(float4x4 m, float3 v) { return m * v; } //~ invalid operands
//! case: product of matrices that do not fit
float3x3 f(float3x3 a, float4x4 b) { return a * b; } //~ invalid operands
//! case: matrix from a larger one
float3x3 f(float4x4 m) { return float3x3(m); } //~ no matching conversion
//! case: matrix divided by a scalar
float3x3 f(float3x3 m) { return m / 2.0; } //~ invalid operands
//! case: row of a matrix too many
float f(float2x2 m) { return m[0].z; } //~ no member named 'z'
//! case: narrowing in braces
struct S { int i; };
S f(float x) { return S{x}; } //~ cannot be narrowed
//! case: select with an integer condition
float3 f(float3 a, float3 b, uint3 c) { return select(a, b, c); } //~ no matching function
//! case: any of a float vector
bool f(float3 a) { return any(a); } //~ no matching function
//! case: unknown function
float f(float a) { return lerp(a, a, a); } //~ undeclared identifier 'lerp'
//! case: unknown field
struct S { float a; };
float f(S s) { return s.b; } //~ no member named 'b'
//! case: missing return type conversion of a struct
struct S { float a; };
struct R { float a; };
R f(S s) { return s; } //~ no viable conversion
//! case: logical negation of a number vector
bool3 f(uint3 a) { return !a; }
//! case: arithmetic on bool vectors
bool3 f(bool3 a) { return a + a; }
//! case: complement of a float vector
float3 f(float3 a) { return ~a; }
//! case: logical and of number vectors
bool3 f(uint3 a) { return a && a; }
//! case: float beside halfs
half3 f(half3 a, float b) { return a * b; } //~ deleted operator
//! case: matrix of float times half vector
float3 f(float3x3 m, half3 v) { return m * v; } //~ invalid operands
//! case: comparing a vector with a wider one
bool f(float2 a, float3 b) { return all(a == b); } //~ invalid operands
//! case: assigning an array
void f() { float a[2] = {1.0, 2.0}; float b[2]; b = a; } //~ is not assignable
//! case: integer vector from a ternary of two types
int3 f(bool c, int3 a, uint3 b) { return c ? a : b; } //~ incompatible operand types
//! case: wrong number of arguments
float g(float a, float b);
float f() { return g(1.0); } //~ no matching function
//! case: no return value
float3 f(float a) { return; } //~ should return a value
//! case: unknown type
floa3 f(float a) { return a; } //~ unknown type name
//! case: bits of a vector in a condition
void f(uint2 a) { while (a & 1u) { } } //~ is not contextually convertible
//! case: switch on a float
void f(float a) { switch (a) { default: break; } } //~ requires expression of integer type
//! case: array without a constant size
void f(uint n) { float a[n]; } //~ not a constant expression
//! case: duplicate label
void f(uint n) { switch (n) { case 1u: break; case 1u: break; } } //~ duplicate case value
