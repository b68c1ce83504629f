//! Uniforms that HLSL cannot declare, as arrays of `uint4` read by offset.

use akari_dialect::{AkariOp, Builtin, LoopHint, LoopTest, Predicate};
use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_dialect_hlsl::HlslOp;
use akari_ir::{Attr, BufferKind, GlobalId, Module, OpId, Scalar, Type, TypeKind, ValueId};
use rustc_hash::FxHashMap;

use crate::rewrite::{Outcome, Rewriter};

/// Where a value lies in the array.
#[derive(Clone, Debug)]
struct Address {
    /// The uniform.
    global: GlobalId,
    /// Bytes from its start.
    constant: u32,
    /// Numbers found at run time, with the bytes that each counts.
    terms: Vec<(ValueId, u32)>,
    /// The value's type.
    ty: Type,
    /// The rules that hold around it.
    packing: Packing,
}

struct Raw<'l> {
    layouts: &'l mut Layouts,
    words: FxHashMap<GlobalId, Type>,
    addresses: FxHashMap<ValueId, Address>,
}

/// Turns the contents of these uniforms, of these types, into arrays, and loads from them into reads by offset.
pub(super) fn rewrite(module: &mut Module, layouts: &mut Layouts, uniforms: &[(GlobalId, Type)]) {
    if uniforms.is_empty() {
        return;
    }
    let mut raw = Raw { layouts, words: FxHashMap::default(), addresses: FxHashMap::default() };
    let mut contents: FxHashMap<GlobalId, Type> = FxHashMap::default();
    for (global, ty) in uniforms {
        let size = raw.layouts.of(module, *ty, Packing::Uniform).map_or(16, |layout| layout.size);
        let word = module.types.vector(Scalar::U32, 4);
        let words = module.types.intern(TypeKind::Array(word, size.div_ceil(16).max(1)));
        module.globals[*global].ty = module.types.intern(TypeKind::Buffer(BufferKind::Uniform, words));
        raw.words.insert(*global, words);
        contents.insert(*global, *ty);
    }
    let mut handles: FxHashMap<ValueId, GlobalId> = FxHashMap::default();
    Rewriter::new(module).module(&mut |r, id| raw.visit(r, id, &contents, &mut handles));
}

impl Raw<'_> {
    fn visit(
        &mut self,
        r: &mut Rewriter<'_>,
        id: OpId,
        contents: &FxHashMap<GlobalId, Type>,
        handles: &mut FxHashMap<ValueId, GlobalId>,
    ) -> Outcome {
        let op = r.module.op(id).clone();
        let Some(result) = op.result else { return Outcome::Keep };
        let address = match AkariOp::of(&op) {
            Some(AkariOp::Resource) => {
                if contents.contains_key(&op.global(0)) {
                    handles.insert(result, op.global(0));
                    return Outcome::Remove;
                }
                return Outcome::Keep;
            }
            Some(AkariOp::Contents) => {
                let Some(global) = handles.get(&op.operands[0]) else { return Outcome::Keep };
                Address {
                    global: *global,
                    constant: 0,
                    terms: Vec::new(),
                    ty: contents[global],
                    packing: Packing::Uniform,
                }
            }
            Some(AkariOp::Member) => match self.addresses.get(&op.operands[0]) {
                Some(base) => self.field(r.module, &base.clone(), op.int(0) as usize),
                None => return Outcome::Keep,
            },
            Some(AkariOp::Element) => match self.addresses.get(&op.operands[0]) {
                Some(base) => self.element(r, &base.clone(), op.operands[1]),
                None => return Outcome::Keep,
            },
            Some(AkariOp::Load) => match self.addresses.get(&op.operands[0]) {
                Some(address) => return Outcome::Replace(self.load(r, &address.clone())),
                None => return Outcome::Keep,
            },
            _ => return Outcome::Keep,
        };
        self.addresses.insert(result, address);
        Outcome::Remove
    }

    fn field(&mut self, module: &Module, base: &Address, index: usize) -> Address {
        let TypeKind::Struct(id) = module.kind(base.ty) else { return base.clone() };
        let offset = self
            .layouts
            .structure(module, base.ty, base.packing)
            .ok()
            .and_then(|layout| layout.fields.get(index).map(|field| field.offset))
            .unwrap_or(0);
        let structure = &module.structs[id];
        Address {
            constant: base.constant + offset,
            ty: structure.fields.get(index).map_or(base.ty, |field| field.ty),
            packing: base.packing.inside(structure),
            ..base.clone()
        }
    }

    /// Bytes from one part of an array, matrix or vector to the next.
    fn stride(&mut self, module: &Module, address: &Address) -> u32 {
        match module.kind(address.ty) {
            TypeKind::Vector(Scalar::F16, _) => 2,
            TypeKind::Vector(Scalar::U64, _) => 8,
            TypeKind::Vector(..) => 4,
            _ => {
                self.layouts.of(module, address.ty, address.packing).ok().and_then(|layout| layout.stride).unwrap_or(16)
            }
        }
    }

    fn element(&mut self, r: &mut Rewriter<'_>, base: &Address, index: ValueId) -> Address {
        let stride = self.stride(r.module, base);
        let ty = r.module.types.element(base.ty).unwrap_or(base.ty);
        let mut address = Address { ty, ..base.clone() };
        match crate::emit::c_like::expression::constant_index(r.module, index) {
            Some(index) => address.constant += stride * index as u32,
            None => {
                let index = r.convert(index, Scalar::U32);
                address.terms.push((index, stride));
            }
        }
        address
    }

    fn part(&mut self, module: &mut Module, base: &Address, index: u32) -> Address {
        if let TypeKind::Struct(_) = module.kind(base.ty) {
            return self.field(module, base, index as usize);
        }
        let stride = self.stride(module, base);
        let ty = module.types.element(base.ty).unwrap_or(base.ty);
        Address { constant: base.constant + stride * index, ty, ..base.clone() }
    }

    fn load(&mut self, r: &mut Rewriter<'_>, address: &Address) -> ValueId {
        match r.module.kind(address.ty) {
            TypeKind::Scalar(scalar) => self.numbers(r, address, scalar, 1),
            TypeKind::Vector(scalar, width) => self.numbers(r, address, scalar, width),
            TypeKind::Matrix { columns, .. } => self.parts(r, address, u32::from(columns)),
            // DXC crashes on functions that give an array of one structure with a matrix in it.
            TypeKind::Array(_, 1) => self.parts(r, address, 1),
            TypeKind::Struct(_) | TypeKind::Array(..) => self.load_by_function(r, address),
            _ => r.uint(0),
        }
    }

    fn parts(&mut self, r: &mut Rewriter<'_>, address: &Address, count: u32) -> ValueId {
        let mut parts = Vec::new();
        for index in 0..count {
            let part = self.part(r.module, address, index);
            parts.push(self.load(r, &part));
        }
        r.construct(address.ty, &parts)
    }

    /// Structures and arrays are read by a function of their own that takes the offset: in units of 16 bytes where it can.
    fn load_by_function(&mut self, r: &mut Rewriter<'_>, address: &Address) -> ValueId {
        let align = self.layouts.of(r.module, address.ty, address.packing).map_or(4, |layout| layout.align);
        let unit = if align.is_multiple_of(16) && address.constant.is_multiple_of(16) && multiple_of_16(address) {
            16
        } else {
            1
        };
        let offset = offset(r, address, unit);
        let global = r.module.text(r.module.globals[address.global].name).to_owned();
        let what = match r.module.kind(address.ty) {
            TypeKind::Struct(id) => r.module.text(r.module.structs[id].name).to_owned(),
            _ => "array".to_owned(),
        };
        let unit_name = if unit == 16 { "index" } else { "offset" };
        // The type of an array is no part of its name, so that it has to be of the key: its id is stable within the module.
        let name = format!("load_{what}_from_{global}");
        let key = format!("{name} {:?} {unit} {:?}", address.ty, address.packing);
        let ty = address.ty;
        let inside = Address { constant: 0, ..address.clone() };
        r.helper_with_key(key, &name, &[unit_name], &[offset], ty, |r, params| {
            let address = Address { terms: vec![(params[0], unit)], ..inside };
            match r.module.kind(ty) {
                TypeKind::Struct(id) => {
                    let count = r.module.structs[id].fields.len() as u32;
                    self.parts(r, &address, count)
                }
                TypeKind::Array(_, length) if length <= 4 => self.parts(r, &address, length),
                TypeKind::Array(_, length) => self.elements(r, &address, length),
                _ => r.uint(0),
            }
        })
    }

    /// A loop over the elements of an array.
    fn elements(&mut self, r: &mut Rewriter<'_>, address: &Address, length: u32) -> ValueId {
        let array = r.local(address.ty, None, "elements");
        let uint = r.ty(TypeKind::Scalar(Scalar::U32));
        let zero = r.uint(0);
        let counter = r.local(uint, Some(zero), "i");
        let test = r.yielding(|r| {
            let (i, end) = (r.load(counter), r.uint(length));
            r.compare(Predicate::Lt, i, end)
        });
        let (body, ()) = r.region_of(|r| {
            let i = r.load(counter);
            let place = r.element(array, i);
            let i = r.load(counter);
            let element = self.element(r, address, i);
            let value = self.load(r, &element);
            r.store(place, value);
        });
        let (step, ()) = r.region_of(|r| {
            let (i, one) = (r.load(counter), r.uint(1));
            let next = r.binary(AkariOp::Add, i, one);
            r.store(counter, next);
        });
        let attrs = [LoopTest::Before.attr(), LoopHint::None.attr(), Attr::Int(0)];
        r.op(AkariOp::Loop.def(), &[], &attrs, &[test, body, step], None);
        r.load(array)
    }

    fn numbers(&mut self, r: &mut Rewriter<'_>, address: &Address, scalar: Scalar, width: u8) -> ValueId {
        let ty = address.ty;
        match scalar {
            Scalar::F16 => {
                let parts: Vec<ValueId> = (0..width)
                    .map(|index| {
                        let address = Address { constant: address.constant + 2 * u32::from(index), ..address.clone() };
                        self.half(r, &address)
                    })
                    .collect();
                if width == 1 { parts[0] } else { r.construct(ty, &parts) }
            }
            Scalar::U64 => {
                let parts: Vec<ValueId> = (0..width)
                    .map(|index| {
                        let address = Address { constant: address.constant + 8 * u32::from(index), ..address.clone() };
                        let pair = self.words(r, &address, 2);
                        let wide = r.convert(pair, Scalar::U64);
                        let (low, high) = (r.extract_component(wide, 0), r.extract_component(wide, 1));
                        let high = r.shift(AkariOp::Shl, high, 32);
                        r.binary(AkariOp::Or, low, high)
                    })
                    .collect();
                if width == 1 { parts[0] } else { r.construct(ty, &parts) }
            }
            Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => {
                let words = self.words(r, address, width);
                match scalar {
                    Scalar::F32 => r.builtin(Builtin::AsFloat, &[words]),
                    Scalar::I32 => r.builtin(Builtin::AsInt, &[words]),
                    Scalar::Bool => {
                        let like = r.type_of(words);
                        let zero = r.filled(like, 0.0);
                        r.compare(Predicate::Ne, words, zero)
                    }
                    Scalar::U32 | Scalar::U64 | Scalar::F16 => words,
                }
            }
        }
    }

    fn half(&mut self, r: &mut Rewriter<'_>, address: &Address) -> ValueId {
        let by_words = address.terms.iter().all(|(_, bytes)| bytes.is_multiple_of(4));
        let half = r.ty(TypeKind::Scalar(Scalar::F16));
        let bits = if by_words {
            let at = Address { constant: address.constant & !3, ..address.clone() };
            let word = self.words(r, &at, 1);
            if address.constant.is_multiple_of(4) { word } else { r.shift(AkariOp::Shr, word, 16) }
        } else {
            let bytes = offset(r, address, 1);
            let bytes = named_once(r, bytes, "byte");
            let word = self.word_at(r, address.global, bytes);
            let two = r.uint(2);
            let odd = r.binary(AkariOp::And, bytes, two);
            let count = r.shift(AkariOp::Shl, odd, 3);
            r.binary(AkariOp::Shr, word, count)
        };
        r.value_of(HlslOp::HalfFromBits.def(), &[bits], &[], half)
    }

    /// `count` words from an address on.
    fn words(&mut self, r: &mut Rewriter<'_>, address: &Address, count: u8) -> ValueId {
        let ty = r.ty(TypeKind::vector(Scalar::U32, count));
        if multiple_of_16(address) {
            let first = (address.constant / 4 % 4) as u8;
            let here = count.min(4 - first);
            let vector = self.vector_at(r, address, 0);
            let low = r.swizzle(vector, &(first..first + here).collect::<Vec<_>>());
            if here == count {
                return low;
            }
            let next = self.vector_at(r, address, 1);
            let high = r.swizzle(next, &(0..count - here).collect::<Vec<_>>());
            return r.construct(ty, &[low, high]);
        }
        let bytes = offset(r, address, 1);
        let bytes = named_once(r, bytes, "byte");
        let mut parts = Vec::new();
        for index in 0..count {
            let step = r.uint(4 * u32::from(index));
            let at = if index == 0 { bytes } else { r.binary(AkariOp::Add, bytes, step) };
            parts.push(self.word_at(r, address.global, at));
        }
        if count == 1 { parts[0] } else { r.construct(ty, &parts) }
    }

    fn contents(&mut self, r: &mut Rewriter<'_>, global: GlobalId) -> ValueId {
        let buffer = r.module.globals[global].ty;
        let handle = r.value_of(AkariOp::Resource.def(), &[], &[Attr::Global(global)], buffer);
        r.contents(handle)
    }

    /// The `uint4` that holds an address whose run-time terms are multiples of 16, or the n-th after it.
    fn vector_at(&mut self, r: &mut Rewriter<'_>, address: &Address, after: u32) -> ValueId {
        let at = Address { constant: (address.constant & !15) + 16 * after, ..address.clone() };
        let index = offset(r, &at, 16);
        let contents = self.contents(r, address.global);
        let element = r.element(contents, index);
        r.load(element)
    }

    /// The word at a byte offset known at run time.
    fn word_at(&mut self, r: &mut Rewriter<'_>, global: GlobalId, bytes: ValueId) -> ValueId {
        let contents = self.contents(r, global);
        let index = r.shift(AkariOp::Shr, bytes, 4);
        let word = r.shift(AkariOp::Shr, bytes, 2);
        let three = r.uint(3);
        let word = r.binary(AkariOp::And, word, three);
        let vector = r.element(contents, index);
        let place = r.element(vector, word);
        r.load(place)
    }
}

/// Declares a value under this name, unless it is a parameter.
fn named_once(r: &mut Rewriter<'_>, value: ValueId, name: &str) -> ValueId {
    if r.module.defining_op(value).is_some() { r.name(value, name) } else { value }
}

fn multiple_of_16(address: &Address) -> bool {
    address.terms.iter().all(|(_, bytes)| bytes.is_multiple_of(16))
}

/// The offset of an address in units of this many bytes, which divide it.
fn offset(r: &mut Rewriter<'_>, address: &Address, unit: u32) -> ValueId {
    let mut sum: Option<ValueId> = None;
    for (value, bytes) in &address.terms {
        let scale = bytes / unit;
        let term = if scale == 1 {
            *value
        } else {
            let scale = r.uint(scale);
            r.binary(AkariOp::Mul, *value, scale)
        };
        sum = Some(match sum {
            Some(sum) => r.binary(AkariOp::Add, sum, term),
            None => term,
        });
    }
    let constant = address.constant / unit;
    match sum {
        None => r.uint(constant),
        Some(sum) if constant == 0 => sum,
        Some(sum) => {
            let constant = r.uint(constant);
            r.binary(AkariOp::Add, sum, constant)
        }
    }
}
