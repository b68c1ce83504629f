//! The ABI's tables, row by row.

use akari_ir::interface::{FieldRole, Interpolation};
use akari_ir::module::Field;
use akari_ir::types::TexelKind;
use akari_ir::{TextureDim, types::Space};

use super::*;

fn module() -> Module {
    Module::new("test")
}

fn structure(module: &mut Module, name: &str, packed: bool, fields: &[Type]) -> Type {
    let fields = fields
        .iter()
        .enumerate()
        .map(|(index, ty)| Field {
            name: module.symbols.intern(&format!("f{index}")),
            ty: *ty,
            role: FieldRole::Plain,
            interpolation: Interpolation::Perspective,
            location: None,
            offset: None,
            loc: None,
        })
        .collect();
    let name = module.symbols.intern(name);
    let id = module.structs.alloc(Struct { name, doc: None, fields, packed, loc: None });
    module.types.intern(TypeKind::Struct(id))
}

fn size_align_stride(module: &Module, ty: Type, packing: Packing) -> (u32, u32, Option<u32>) {
    let layout = Layouts::new().of(module, ty, packing).expect("a layout");
    (layout.size, layout.align, layout.stride)
}

fn offsets(module: &Module, ty: Type, packing: Packing) -> Vec<u32> {
    Layouts::new().structure(module, ty, packing).expect("a layout").fields.iter().map(|field| field.offset).collect()
}

#[test]
fn scalars_and_vectors() {
    use Scalar::{Bool, F16, F32, I32, U32, U64};
    // scalar, width, size, uniform alignment, storage alignment
    let table = [
        (Bool, 1, 4, 4, 4),
        (Bool, 2, 8, 8, 4),
        (Bool, 3, 12, 16, 4),
        (Bool, 4, 16, 16, 4),
        (I32, 1, 4, 4, 4),
        (I32, 2, 8, 8, 4),
        (I32, 3, 12, 16, 4),
        (I32, 4, 16, 16, 4),
        (U32, 1, 4, 4, 4),
        (U32, 2, 8, 8, 4),
        (U32, 3, 12, 16, 4),
        (U32, 4, 16, 16, 4),
        (F32, 1, 4, 4, 4),
        (F32, 2, 8, 8, 4),
        (F32, 3, 12, 16, 4),
        (F32, 4, 16, 16, 4),
        (F16, 1, 2, 2, 2),
        (F16, 2, 4, 4, 2),
        (F16, 3, 6, 8, 2),
        (F16, 4, 8, 8, 2),
        (U64, 1, 8, 8, 8),
    ];
    for (scalar, width, size, uniform, storage) in table {
        let mut m = module();
        let ty = m.types.vector(scalar, width);
        assert_eq!(size_align_stride(&m, ty, Packing::Uniform), (size, uniform, None), "{scalar:?}{width} uniform");
        assert_eq!(size_align_stride(&m, ty, Packing::Storage), (size, storage, None), "{scalar:?}{width} storage");
    }
}

#[test]
fn matrices() {
    for columns in 2..=4u8 {
        for rows in 2..=4u8 {
            let mut m = module();
            let ty = m.types.intern(TypeKind::Matrix { columns, rows });
            let (c, r) = (u32::from(columns), u32::from(rows));
            assert_eq!(size_align_stride(&m, ty, Packing::Uniform), (16 * c, 16, Some(16)), "{c}x{r} uniform");
            assert_eq!(size_align_stride(&m, ty, Packing::Storage), (4 * c * r, 4, Some(4 * r)), "{c}x{r} storage");
        }
    }
}

#[test]
fn arrays() {
    let mut m = module();
    let float = m.types.scalar(Scalar::F32);
    let float3 = m.types.vector(Scalar::F32, 3);
    let half3 = m.types.vector(Scalar::F16, 3);
    let matrix = m.types.intern(TypeKind::Matrix { columns: 3, rows: 3 });
    // element, uniform (size, align, stride) and storage, of five
    let table = [
        (float, (80, 16, Some(16)), (20, 4, Some(4))),
        (float3, (80, 16, Some(16)), (60, 4, Some(12))),
        (half3, (80, 16, Some(16)), (30, 2, Some(6))),
        (matrix, (240, 16, Some(48)), (180, 4, Some(36))),
    ];
    for (element, uniform, storage) in table {
        let ty = m.types.intern(TypeKind::Array(element, 5));
        assert_eq!(size_align_stride(&m, ty, Packing::Uniform), uniform);
        assert_eq!(size_align_stride(&m, ty, Packing::Storage), storage);
    }
    let inner = m.types.intern(TypeKind::Array(float, 3));
    let outer = m.types.intern(TypeKind::Array(inner, 2));
    assert_eq!(size_align_stride(&m, outer, Packing::Uniform), (96, 16, Some(48)));
    assert_eq!(size_align_stride(&m, outer, Packing::Storage), (24, 4, Some(12)));
    assert_eq!(Layouts::new().stride(&m, inner, Packing::Storage), Ok(12));
}

#[test]
fn structs_take_the_alignment_of_their_largest_member() {
    let mut m = module();
    let float = m.types.scalar(Scalar::F32);
    let float2 = m.types.vector(Scalar::F32, 2);
    let float3 = m.types.vector(Scalar::F32, 3);
    let half = m.types.scalar(Scalar::F16);
    let long = m.types.scalar(Scalar::U64);
    let small = structure(&mut m, "Small", false, &[float, half]);
    assert_eq!(size_align_stride(&m, small, Packing::Uniform), (8, 4, None));
    let mixed = structure(&mut m, "Mixed", false, &[float, float3, float, float2, half, long]);
    assert_eq!(offsets(&m, mixed, Packing::Uniform), [0, 16, 28, 32, 40, 48]);
    assert_eq!(size_align_stride(&m, mixed, Packing::Uniform), (64, 16, None));
    assert_eq!(offsets(&m, mixed, Packing::Storage), [0, 4, 16, 20, 28, 32]);
    assert_eq!(size_align_stride(&m, mixed, Packing::Storage), (40, 8, None));
    let outer = structure(&mut m, "Outer", false, &[float, small, float]);
    assert_eq!(offsets(&m, outer, Packing::Uniform), [0, 4, 12]);
    let array = m.types.intern(TypeKind::Array(small, 2));
    let arrays = structure(&mut m, "Arrays", false, &[float, array, float]);
    assert_eq!(offsets(&m, arrays, Packing::Uniform), [0, 16, 48]);
    assert_eq!(offsets(&m, arrays, Packing::Storage), [0, 4, 20]);
}

#[test]
fn packed_forces_storage_packing_on_all_it_holds() {
    let mut m = module();
    let float = m.types.scalar(Scalar::F32);
    let float3 = m.types.vector(Scalar::F32, 3);
    let packed = structure(&mut m, "PackedV", true, &[float, float3]);
    for (packing, _) in Packing::ALL {
        assert_eq!(offsets(&m, packed, packing), [0, 4]);
        assert_eq!(size_align_stride(&m, packed, packing), (16, 4, None));
    }
    let plain = structure(&mut m, "Plain", false, &[float, float3]);
    let pair = m.types.intern(TypeKind::Array(float3, 2));
    let holder = structure(&mut m, "Holder", true, &[float, plain, pair, float]);
    assert_eq!(offsets(&m, holder, Packing::Uniform), [0, 4, 20, 44]);
    assert_eq!(size_align_stride(&m, holder, Packing::Uniform), (48, 4, None));
    // In an array under a uniform the element is aligned to 16 all the same, its inside stays tight.
    let array = m.types.intern(TypeKind::Array(packed, 2));
    assert_eq!(size_align_stride(&m, array, Packing::Uniform), (32, 16, Some(16)));
    let outer = structure(&mut m, "Outer", false, &[float, packed, float3]);
    assert_eq!(offsets(&m, outer, Packing::Uniform), [0, 4, 32]);
    let mut layouts = Layouts::new();
    assert_eq!(layouts.offset_of(&m, outer, Packing::Uniform, &[1, 1]).map(|field| field.offset), Ok(8));
    assert_eq!(layouts.offset_of(&m, outer, Packing::Uniform, &[2]).map(|field| field.offset), Ok(32));
    assert_eq!(layouts.offset_of(&m, outer, Packing::Uniform, &[0, 0]), Err(LayoutError::Opaque(float)));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let mut m = module();
    let float = m.types.scalar(Scalar::F32);
    let huge = m.types.intern(TypeKind::Array(float, 1 << 30));
    let mut layouts = Layouts::new();
    assert_eq!(layouts.of(&m, huge, Packing::Storage), Err(LayoutError::TooLarge(huge)));
    let half = m.types.intern(TypeKind::Array(float, 1 << 29));
    let both = structure(&mut m, "Both", false, &[half, half]);
    assert_eq!(layouts.of(&m, both, Packing::Storage), Err(LayoutError::TooLarge(both)));
    assert_eq!(layouts.of(&m, both, Packing::Uniform), Err(LayoutError::TooLarge(half)));
    let nested = m.types.intern(TypeKind::Array(half, u32::MAX));
    assert_eq!(layouts.of(&m, nested, Packing::Storage), Err(LayoutError::TooLarge(nested)));
}

#[test]
fn handles_have_no_bytes() {
    let mut m = module();
    let float = m.types.scalar(Scalar::F32);
    let texture = m.types.intern(TypeKind::Texture(TextureDim::D2, TexelKind::Float));
    let place = m.types.place(Space::Function, float);
    let context = structure(&mut m, "Context", false, &[float, texture]);
    for ty in [texture, place, context] {
        assert!(matches!(Layouts::new().of(&m, ty, Packing::Storage), Err(LayoutError::Opaque(_))));
    }
}

#[test]
fn depth_is_limited_whatever_was_asked_before() {
    let mut m = module();
    let mut types = vec![m.types.scalar(Scalar::F32)];
    for _ in 0..2 * MAX_DEPTH {
        let inner = types[types.len() - 1];
        types.push(m.types.intern(TypeKind::Array(inner, 1)));
    }
    let deepest = types[MAX_DEPTH as usize - 1];
    let too_deep = types[MAX_DEPTH as usize];
    let last = types[types.len() - 1];
    let mut fresh = Layouts::new();
    assert_eq!(fresh.of(&m, last, Packing::Storage), Err(LayoutError::TooDeep(last)));
    assert_eq!(fresh.of(&m, too_deep, Packing::Storage), Err(LayoutError::TooDeep(too_deep)));
    assert!(fresh.of(&m, deepest, Packing::Storage).is_ok());
    assert_eq!(fresh.of(&m, too_deep, Packing::Storage), Err(LayoutError::TooDeep(too_deep)));
}

#[test]
fn a_struct_that_holds_itself_is_too_deep() {
    let mut m = module();
    let float = m.types.scalar(Scalar::F32);
    let ty = structure(&mut m, "Loop", false, &[float]);
    let TypeKind::Struct(id) = m.kind(ty) else { unreachable!("a struct type") };
    m.structs[id].fields[0].ty = ty;
    assert_eq!(Layouts::new().of(&m, ty, Packing::Uniform), Err(LayoutError::TooDeep(ty)));
}
