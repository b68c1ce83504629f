//! Uniforms that HLSL cannot declare, as arrays of `uint4` read by offset.

use akari_dialect::{AkariOp, Builtin, LoopHint, LoopTest, Predicate};
use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_dialect_hlsl::HlslOp;
use akari_ir::{Attr, BufferKind, GlobalId, Module, OpId, Scalar, Space, Type, TypeKind, ValueId};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::polyfill::rewriter::{Build, Helpers, Outcome, rewrite as rewrite_ops};

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
    rewrite_ops(module, &mut Helpers::default(), |b, id| raw.visit(b, id, &contents, &mut handles));
}

impl Raw<'_> {
    fn visit(
        &mut self,
        b: &mut Build<'_, '_>,
        id: OpId,
        contents: &FxHashMap<GlobalId, Type>,
        handles: &mut FxHashMap<ValueId, GlobalId>,
    ) -> Outcome {
        let op = b.module().op(id).clone();
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
                Some(base) => self.field(b.module(), &base.clone(), op.int(0) as usize),
                None => return Outcome::Keep,
            },
            Some(AkariOp::Element) => match self.addresses.get(&op.operands[0]) {
                Some(base) => self.element(b, &base.clone(), op.operands[1]),
                None => return Outcome::Keep,
            },
            Some(AkariOp::Load) => match self.addresses.get(&op.operands[0]) {
                Some(address) => return Outcome::Replace(self.load(b, &address.clone())),
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
            _ => self.layouts.of(module, address.ty, address.packing).ok().and_then(|layout| layout.stride).unwrap_or(16),
        }
    }

    fn element(&mut self, b: &mut Build<'_, '_>, base: &Address, index: ValueId) -> Address {
        let stride = self.stride(b.module(), base);
        let ty = b.builder.module.types.element(base.ty).unwrap_or(base.ty);
        let mut address = Address { ty, ..base.clone() };
        match crate::emit::c_like::expression::constant_index(b.module(), index) {
            Some(index) => address.constant += stride * index as u32,
            None => {
                let index = b.convert(index, Scalar::U32);
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

    fn load(&mut self, b: &mut Build<'_, '_>, address: &Address) -> ValueId {
        match b.module().kind(address.ty) {
            TypeKind::Scalar(scalar) => self.numbers(b, address, scalar, 1),
            TypeKind::Vector(scalar, width) => self.numbers(b, address, scalar, width),
            TypeKind::Matrix { columns, .. } => self.parts(b, address, u32::from(columns)),
            TypeKind::Struct(_) | TypeKind::Array(..) => self.load_by_function(b, address),
            _ => b.u32(0),
        }
    }

    fn parts(&mut self, b: &mut Build<'_, '_>, address: &Address, count: u32) -> ValueId {
        let mut parts = Vec::new();
        for index in 0..count {
            let part = self.part(b.builder.module, address, index);
            parts.push(self.load(b, &part));
        }
        b.construct(address.ty, &parts)
    }

    /// Structures and arrays are read by a function of their own that takes the offset: in units of 16 bytes where it can.
    fn load_by_function(&mut self, b: &mut Build<'_, '_>, address: &Address) -> ValueId {
        let align = self.layouts.of(b.module(), address.ty, address.packing).map_or(4, |layout| layout.align);
        let unit = if align.is_multiple_of(16) && address.constant.is_multiple_of(16) && multiple_of_16(address) { 16 } else { 1 };
        let offset = offset(b, address, unit);
        let global = b.module().text(b.module().globals[address.global].name).to_owned();
        let what = match b.module().kind(address.ty) {
            TypeKind::Struct(id) => b.module().text(b.module().structs[id].name).to_owned(),
            _ => "array".to_owned(),
        };
        let unit_name = if unit == 16 { "index" } else { "offset" };
        // The type of an array is no part of its name, so that it has to be of the key: its id is stable within the module.
        let name = format!("load_{what}_from_{global}");
        let key = format!("{name} {:?} {unit} {:?}", address.ty, address.packing);
        let ty = address.ty;
        let inside = Address { constant: 0, ..address.clone() };
        b.helper_with_key(key, &name, &[unit_name], &[offset], ty, |b, params| {
            let address = Address { terms: vec![(params[0], unit)], ..inside };
            match b.module().kind(ty) {
                TypeKind::Struct(id) => {
                    let count = b.module().structs[id].fields.len() as u32;
                    self.parts(b, &address, count)
                }
                TypeKind::Array(_, length) if length <= 4 => self.parts(b, &address, length),
                TypeKind::Array(_, length) => self.elements(b, &address, length),
                _ => b.u32(0),
            }
        })
    }

    /// A loop over the elements of an array.
    fn elements(&mut self, b: &mut Build<'_, '_>, address: &Address, length: u32) -> ValueId {
        let array = b.local("elements", address.ty, None);
        let uint = b.ty(TypeKind::Scalar(Scalar::U32));
        let zero = b.u32(0);
        let counter = b.local("i", uint, Some(zero));
        let [test, body, step] = [(); 3].map(|()| b.builder.module.new_region());
        let outer = std::mem::replace(&mut b.builder.region, test);
        let (i, end) = (b.load(counter), b.u32(length));
        let goes_on = b.compare(Predicate::Lt, i, end);
        b.builder.op(AkariOp::Yield.def(), &[goes_on], smallvec![], smallvec![], None);
        b.builder.region = body;
        let i = b.load(counter);
        let element_type = b.builder.module.types.element(address.ty).unwrap_or(address.ty);
        let place = b.builder.module.types.place(Space::Function, element_type);
        let place = b.op(AkariOp::Element, &[array, i], place);
        let i = b.load(counter);
        let element = self.element(b, address, i);
        let value = self.load(b, &element);
        b.store(place, value);
        b.builder.region = step;
        let (i, one) = (b.load(counter), b.u32(1));
        let next = b.binary(AkariOp::Add, i, one);
        b.store(counter, next);
        b.builder.region = outer;
        let attrs = smallvec![LoopTest::Before.attr(), LoopHint::None.attr(), Attr::Int(0)];
        b.builder.op(AkariOp::Loop.def(), &[], attrs, smallvec![test, body, step], None);
        b.load(array)
    }

    fn numbers(&mut self, b: &mut Build<'_, '_>, address: &Address, scalar: Scalar, width: u8) -> ValueId {
        let ty = address.ty;
        match scalar {
            Scalar::F16 => {
                let parts: Vec<ValueId> = (0..width)
                    .map(|index| {
                        let address = Address { constant: address.constant + 2 * u32::from(index), ..address.clone() };
                        self.half(b, &address)
                    })
                    .collect();
                if width == 1 { parts[0] } else { b.construct(ty, &parts) }
            }
            Scalar::U64 => {
                let parts: Vec<ValueId> = (0..width)
                    .map(|index| {
                        let address = Address { constant: address.constant + 8 * u32::from(index), ..address.clone() };
                        let pair = self.words(b, &address, 2);
                        let wide = b.convert(pair, Scalar::U64);
                        let (low, high) = (b.component(wide, 0), b.component(wide, 1));
                        let high = b.shift(AkariOp::Shl, high, 32);
                        b.binary(AkariOp::Or, low, high)
                    })
                    .collect();
                if width == 1 { parts[0] } else { b.construct(ty, &parts) }
            }
            Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => {
                let words = self.words(b, address, width);
                match scalar {
                    Scalar::F32 => b.builtin(Builtin::AsFloat, &[words], ty),
                    Scalar::I32 => b.builtin(Builtin::AsInt, &[words], ty),
                    Scalar::Bool => {
                        let like = b.type_of(words);
                        let zero = b.number(like, 0.0);
                        b.compare(Predicate::Ne, words, zero)
                    }
                    Scalar::U32 | Scalar::U64 | Scalar::F16 => words,
                }
            }
        }
    }

    fn half(&mut self, b: &mut Build<'_, '_>, address: &Address) -> ValueId {
        let by_words = address.terms.iter().all(|(_, bytes)| bytes.is_multiple_of(4));
        let float = b.ty(TypeKind::Scalar(Scalar::F32));
        let bits = if by_words {
            let at = Address { constant: address.constant & !3, ..address.clone() };
            let word = self.words(b, &at, 1);
            if address.constant.is_multiple_of(4) { word } else { b.shift(AkariOp::Shr, word, 16) }
        } else {
            let bytes = offset(b, address, 1);
            let bytes = named_once(b, bytes, "byte");
            let word = self.word_at(b, address.global, bytes);
            let two = b.u32(2);
            let odd = b.binary(AkariOp::And, bytes, two);
            let count = b.shift(AkariOp::Shl, odd, 3);
            let uint = b.type_of(word);
            b.op(AkariOp::Shr, &[word, count], uint)
        };
        let value = b.builder.value(HlslOp::F16ToF32.def(), &[bits], smallvec![], float);
        b.convert(value, Scalar::F16)
    }

    /// `count` words from an address on.
    fn words(&mut self, b: &mut Build<'_, '_>, address: &Address, count: u8) -> ValueId {
        let ty = b.ty(TypeKind::vector(Scalar::U32, count));
        if multiple_of_16(address) {
            let first = (address.constant / 4 % 4) as u8;
            let here = count.min(4 - first);
            let vector = self.vector_at(b, address, 0);
            let low = swizzled(b, vector, first, here);
            if here == count {
                return low;
            }
            let next = self.vector_at(b, address, 1);
            let high = swizzled(b, next, 0, count - here);
            return b.construct(ty, &[low, high]);
        }
        let bytes = offset(b, address, 1);
        let bytes = named_once(b, bytes, "byte");
        let mut parts = Vec::new();
        for index in 0..count {
            let step = b.u32(4 * u32::from(index));
            let at = if index == 0 { bytes } else { b.binary(AkariOp::Add, bytes, step) };
            parts.push(self.word_at(b, address.global, at));
        }
        if count == 1 { parts[0] } else { b.construct(ty, &parts) }
    }

    fn contents(&mut self, b: &mut Build<'_, '_>, global: GlobalId) -> ValueId {
        let buffer = b.module().globals[global].ty;
        let handle = b.builder.value(AkariOp::Resource.def(), &[], smallvec![Attr::Global(global)], buffer);
        let place = b.builder.module.types.place(Space::Uniform, self.words[&global]);
        b.op(AkariOp::Contents, &[handle], place)
    }

    /// The `uint4` that holds an address whose run-time terms are multiples of 16, or the n-th after it.
    fn vector_at(&mut self, b: &mut Build<'_, '_>, address: &Address, after: u32) -> ValueId {
        let at = Address { constant: (address.constant & !15) + 16 * after, ..address.clone() };
        let index = offset(b, &at, 16);
        let contents = self.contents(b, address.global);
        let vector = b.builder.module.types.vector(Scalar::U32, 4);
        let place = b.builder.module.types.place(Space::Uniform, vector);
        let element = b.op(AkariOp::Element, &[contents, index], place);
        b.load(element)
    }

    /// The word at a byte offset known at run time.
    fn word_at(&mut self, b: &mut Build<'_, '_>, global: GlobalId, bytes: ValueId) -> ValueId {
        let contents = self.contents(b, global);
        let index = b.shift(AkariOp::Shr, bytes, 4);
        let word = b.shift(AkariOp::Shr, bytes, 2);
        let three = b.u32(3);
        let word = b.binary(AkariOp::And, word, three);
        let vector = b.builder.module.types.vector(Scalar::U32, 4);
        let vector = b.builder.module.types.place(Space::Uniform, vector);
        let scalar = b.builder.module.types.scalar(Scalar::U32);
        let scalar = b.builder.module.types.place(Space::Uniform, scalar);
        let vector = b.op(AkariOp::Element, &[contents, index], vector);
        let place = b.op(AkariOp::Element, &[vector, word], scalar);
        b.load(place)
    }
}

/// Declares a value under this name, unless it is a parameter.
fn named_once(b: &mut Build<'_, '_>, value: ValueId, name: &str) -> ValueId {
    if b.module().defining_op(value).is_some() { b.named(value, name) } else { value }
}

fn multiple_of_16(address: &Address) -> bool {
    address.terms.iter().all(|(_, bytes)| bytes.is_multiple_of(16))
}

/// The offset of an address in units of this many bytes, which divide it.
fn offset(b: &mut Build<'_, '_>, address: &Address, unit: u32) -> ValueId {
    let mut sum: Option<ValueId> = None;
    for (value, bytes) in &address.terms {
        let scale = bytes / unit;
        let term = if scale == 1 {
            *value
        } else {
            let scale = b.u32(scale);
            b.binary(AkariOp::Mul, *value, scale)
        };
        sum = Some(match sum {
            Some(sum) => b.binary(AkariOp::Add, sum, term),
            None => term,
        });
    }
    let constant = address.constant / unit;
    match sum {
        None => b.u32(constant),
        Some(sum) if constant == 0 => sum,
        Some(sum) => {
            let constant = b.u32(constant);
            b.binary(AkariOp::Add, sum, constant)
        }
    }
}

fn swizzled(b: &mut Build<'_, '_>, vector: ValueId, first: u8, count: u8) -> ValueId {
    if count == 4 {
        return vector;
    }
    if count == 1 {
        return b.component(vector, i64::from(first));
    }
    b.swizzle(vector, &(i64::from(first)..i64::from(first + count)).collect::<Vec<_>>())
}
