//! The enumerants that the emitter uses, with the numbers of the SPIR-V specification (unified1).

macro_rules! enumerants {
    ($($(#[doc = $doc:literal])+ $Enum:ident { $($Name:ident = $number:literal),+ $(,)? })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        #[allow(missing_docs, reason = "each has the name and the meaning that the specification gives it")]
        pub enum $Enum { $($Name = $number),+ }

        impl $Enum {
            /// All of them, by number.
            pub const ALL: &[Self] = &[$(Self::$Name),+];
        }
    )+};
}

enumerants! {
    /// What a module needs of a device.
    Capability {
        Shader = 1,
        Float16 = 9,
        Int64 = 11,
        Int16 = 22,
        UniformBufferArrayDynamicIndexing = 28,
        SampledImageArrayDynamicIndexing = 29,
        StorageBufferArrayDynamicIndexing = 30,
        StorageImageArrayDynamicIndexing = 31,
        ClipDistance = 32,
        SampledCubeArray = 45,
        StorageImageExtendedFormats = 49,
        ImageQuery = 50,
        StorageImageReadWithoutFormat = 55,
        StorageImageWriteWithoutFormat = 56,
        GroupNonUniform = 61,
        GroupNonUniformVote = 62,
        GroupNonUniformArithmetic = 63,
        GroupNonUniformBallot = 64,
        StorageBuffer16BitAccess = 4433,
        UniformAndStorageBuffer16BitAccess = 4434,
        SignedZeroInfNanPreserve = 4466,
        RayQueryKHR = 4472,
        ShaderNonUniform = 5301,
        RuntimeDescriptorArray = 5302,
        UniformBufferArrayNonUniformIndexing = 5306,
        SampledImageArrayNonUniformIndexing = 5307,
        StorageBufferArrayNonUniformIndexing = 5308,
        StorageImageArrayNonUniformIndexing = 5309,
        DemoteToHelperInvocation = 5379,
    }
    /// Where a variable lies.
    StorageClass {
        UniformConstant = 0,
        Input = 1,
        Uniform = 2,
        Output = 3,
        Workgroup = 4,
        Private = 6,
        Function = 7,
        StorageBuffer = 12,
    }
    /// What is said of an id or a member.
    Decoration {
        Block = 2,
        ColMajor = 5,
        ArrayStride = 6,
        MatrixStride = 7,
        BuiltIn = 11,
        NoPerspective = 13,
        Flat = 14,
        NonWritable = 24,
        Location = 30,
        Binding = 33,
        DescriptorSet = 34,
        Offset = 35,
        NoContraction = 42,
        NonUniform = 5300,
    }
    /// A variable that the pipeline knows.
    BuiltIn {
        Position = 0,
        ClipDistance = 3,
        FragCoord = 15,
        FrontFacing = 17,
        WorkgroupId = 26,
        LocalInvocationId = 27,
        GlobalInvocationId = 28,
        LocalInvocationIndex = 29,
        VertexIndex = 42,
        InstanceIndex = 43,
        BaseInstance = 4425,
    }
    /// The stage of an entry point.
    ExecutionModel {
        Vertex = 0,
        Fragment = 4,
        GLCompute = 5,
    }
    /// How an entry point runs.
    ExecutionMode {
        OriginUpperLeft = 7,
        LocalSize = 17,
        SignedZeroInfNanPreserve = 4461,
    }
    /// The shape of an image.
    Dim {
        Dim2D = 1,
        Dim3D = 2,
        DimCube = 3,
    }
    /// The format of a storage image.
    ImageFormat {
        Unknown = 0,
        Rgba32f = 1,
        Rgba16f = 2,
        R32f = 3,
        Rg16f = 7,
        R11fG11fB10f = 8,
        R16f = 9,
        R32i = 24,
        R32ui = 33,
    }
    /// Which invocations an operation is among.
    Scope {
        Device = 1,
        Workgroup = 2,
        Subgroup = 3,
    }
    /// How a group operation combines.
    GroupOperation {
        Reduce = 0,
        ExclusiveScan = 2,
    }
}
