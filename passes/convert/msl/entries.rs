//! `msl-entries`: gives entries the signatures that Metal wants.
//!
//! - Samplers are declared in the entry, with their state; they are no parameters. A resource with two names is one parameter.
//! - Positions of threads are parameters of one width, the widest that is asked for (MSL specification, 5.2.3.6).
//! - `w` of a fragment's `@position` is the reciprocal of what Metal gives.
//! - Clip distances leave a vertex entry one by one, since they are no `array` there.

use akari_dialect::{AkariOp, component};
use akari_dialect_msl::{MslOp, SamplerAddress, SamplerCompare, SamplerFilter};
use akari_ir::interface::{
    Address, BindingSource, Compare, FieldRole, Filter, ParamRole, SamplerState, Stage, SystemValue,
};
use akari_ir::{FuncId, Module, OpId, Param, Scalar, StructId, Type, TypeKind, ValueDef, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::used_structures::used_structures;
use crate::analysis::walk::operations;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct MslEntries;

impl Pass for MslEntries {
    const NAME: &'static str = "msl-entries";
    const SUMMARY: &'static str = "give entries the signatures that Metal wants";
    const UNTIL: IrStage = IrStage::Extracted;
    const GIVES: Option<IrStage> = Some(IrStage::Target);

    fn run(module: &mut Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let mut rewriter = Rewriter::new(module);
        let mut outputs = FxHashMap::default();
        for func in rewriter.module.functions.ids() {
            let Some(entry) = rewriter.module.functions[func].entry else { continue };
            let mut signature = Signature::default();
            let mut forgotten = Vec::new();
            let (prologue, replaced) = rewriter.region_of(|r| {
                let mut replaced = samplers(r, func);
                r.place(r.module.functions[func].loc);
                replaced.extend(second_names(r.module, func));
                forgotten.extend(replaced.iter().map(|(param, _)| *param));
                replaced.extend(positions(r, func));
                if entry.stage == Stage::Fragment {
                    replaced.extend(signature.stage_in(r, func));
                }
                replaced
            });
            if entry.stage == Stage::Vertex {
                signature.output = clip_output(&mut rewriter, func, &mut outputs);
            }
            for (param, value) in replaced {
                rewriter.replace(param, value);
            }
            rewriter.function(func, &mut |r, op| signature.op(r, op));
            rewriter.prepend(func, prologue);
            forget(rewriter.module, func, &forgotten);
        }
        let changed = rewriter.changed;
        // Where the structure that an entry returned before is still used, the one it returns now has a name of its own.
        let used = used_structures(module);
        for (id, output) in outputs {
            if used.contains(&id) {
                let name = format!("{}_interface", module.text(module.structs[output].name));
                module.structs[output].name = module.symbols.intern(&name);
            }
        }
        Ok(if changed { Changed::Yes } else { Changed::No })
    }
}

/// What changes in one entry.
#[derive(Default)]
struct Signature {
    /// `@stage_in` and the number of its position.
    stage_in: Option<(ValueId, u32)>,
    /// The position as Metal gives it, by the one with its `w` put right.
    raw: FxHashMap<ValueId, ValueId>,
    /// The structure that is returned instead.
    output: Option<StructId>,
}

/// Declares the samplers, one for each state. Gives what stands for each parameter.
fn samplers(r: &mut Rewriter<'_>, func: FuncId) -> Vec<(ValueId, ValueId)> {
    let params = r.module.functions[func].params.clone();
    let mut declared: FxHashMap<SamplerState, ValueId> = FxHashMap::default();
    let mut replaced = Vec::new();
    for param in params {
        let ParamRole::Resource(BindingSource::Sampler(state)) = param.role else { continue };
        let sampler = *declared.entry(state).or_insert_with(|| {
            r.place(param.loc.or(r.module.functions[func].loc));
            let attrs = [filter(state).attr(), address(state).attr(), compare(state).attr()];
            let ty = r.module.value_type(param.value);
            let sampler = r.value_of(MslOp::Sampler.def(), &[], &attrs, ty);
            r.module.value_mut(sampler).name = r.module.value(param.value).name;
            sampler
        });
        replaced.push((param.value, sampler));
    }
    replaced
}

/// Makes the positions of threads of one width. Gives what stands for those that were narrower.
fn positions(r: &mut Rewriter<'_>, func: FuncId) -> Vec<(ValueId, ValueId)> {
    let is_position =
        |role| matches!(role, ParamRole::System(SystemValue::DispatchId | SystemValue::GroupId | SystemValue::LocalId));
    let params = r.module.functions[func].params.iter();
    let positions: Vec<ValueId> = params.filter(|param| is_position(param.role)).map(|param| param.value).collect();
    let widest = positions.iter().map(|value| r.width_of(*value)).max().unwrap_or(1);
    let mut replaced = Vec::new();
    for value in positions {
        let width = r.width_of(value);
        if width < widest {
            r.module.value_mut(value).ty = r.module.types.vector(Scalar::U32, widest);
            let components: Vec<u8> = (0..width).collect();
            replaced.push((value, r.swizzle(value, &components)));
        }
    }
    replaced
}

impl Signature {
    /// Puts the position's `w` right: at its uses, or in a copy of the whole where that is used as such, which then stands for the
    /// parameter.
    fn stage_in(&mut self, r: &mut Rewriter<'_>, func: FuncId) -> Option<(ValueId, ValueId)> {
        let input = r.module.functions[func].params.iter().find(|param| param.role == ParamRole::StageIn)?.value;
        let TypeKind::Struct(id) = r.kind(input) else { return None };
        let fields = &r.module.structs[id].fields;
        let position = fields.iter().position(|field| field.role == FieldRole::Position)?;
        let position = position as u32;
        let used_whole = operations(r.module, func).iter().any(|op| {
            let op = r.module.op(*op);
            op.operands.contains(&input) && AkariOp::of(op) != Some(AkariOp::Extract)
        });
        if !used_whole {
            self.stage_in = Some((input, position));
            return None;
        }
        let name = r.module.value(input).name.map_or_else(|| "input".to_owned(), |name| r.module.text(name).to_owned());
        let raw_name = format!("{name}_raw");
        let ty = r.module.value_type(input);
        let copy = r.local(ty, Some(input), &name);
        let place = r.member(copy, position);
        let three = r.uint(3);
        let w_place = r.element(place, three);
        let w = r.load(w_place);
        let one = r.float(1.0);
        let reciprocal = r.binary(AkariOp::Div, one, w);
        r.store(w_place, reciprocal);
        let whole = r.load(copy);
        r.name(input, &raw_name);
        Some((input, whole))
    }

    fn output_value(&self, r: &mut Rewriter<'_>, value: ValueId, output: StructId) -> ValueId {
        let ty = r.ty(TypeKind::Struct(output));
        let out = r.local(ty, None, "out");
        let fields: Vec<(FieldRole, Type)> =
            r.module.structs[output].fields.iter().map(|field| (field.role, field.ty)).collect();
        for (index, (role, ty)) in fields.into_iter().enumerate() {
            let part = part(r, value, index as u32);
            let place = r.member(out, index as u32);
            let length = if role == FieldRole::ClipDistance { r.module.types.length(ty) } else { None };
            match length {
                Some(length) => {
                    for index in 0..length {
                        let distance = self::part(r, part, index);
                        let at = r.uint(index);
                        let place = r.element(place, at);
                        r.store(place, distance);
                    }
                }
                None => r.store(place, part),
            }
        }
        r.load(out)
    }
}

/// A part of a value, without the value where it is made of its parts.
fn part(r: &mut Rewriter<'_>, value: ValueId, index: u32) -> ValueId {
    if let Some(op) = r.module.defining_op(value) {
        let op = r.module.op(op);
        if AkariOp::of(op) == Some(AkariOp::Construct)
            && let Some(part) = op.operands.get(index as usize)
        {
            return *part;
        }
    }
    r.extract(value, index)
}

impl Signature {
    fn op(&mut self, r: &mut Rewriter<'_>, op: OpId) -> Outcome {
        let operands = r.module.op(op).operands.to_vec();
        match (AkariOp::of(r.module.op(op)), &operands[..]) {
            (Some(AkariOp::Return), &[value]) => {
                let Some(output) = self.output else { return Outcome::Keep };
                let value = self.output_value(r, value, output);
                r.op(AkariOp::Return.def(), &[value], &[], &[], None);
                Outcome::Remove
            }
            (Some(AkariOp::Extract), &[of]) => {
                let index = r.module.op(op).int(0) as u32;
                if self.stage_in == Some((of, index)) {
                    return Outcome::Replace(self.position(r, op));
                }
                match self.raw.get(&of) {
                    Some(raw) if index < 3 => Outcome::Replace(r.extract(*raw, index)),
                    Some(raw) => Outcome::Replace(reciprocal_w(r, *raw)),
                    None => Outcome::Keep,
                }
            }
            (Some(AkariOp::Swizzle), &[of]) => {
                let components: Vec<u8> =
                    r.module.op(op).ints(0).iter().map(|number| component(*number) as u8).collect();
                match self.raw.get(&of) {
                    Some(raw) if !components.contains(&3) => Outcome::Replace(r.swizzle(*raw, &components)),
                    _ => Outcome::Keep,
                }
            }
            _ => Outcome::Keep,
        }
    }
}

impl Signature {
    /// The position with the clip-space `w`.
    fn position(&mut self, r: &mut Rewriter<'_>, op: OpId) -> ValueId {
        let Some((input, index)) = self.stage_in else { unreachable!("asked for an input's position only") };
        let raw = r.extract(input, index);
        let ty = r.module.value_type(raw);
        let xyz = r.swizzle(raw, &[0, 1, 2]);
        let w = reciprocal_w(r, raw);
        let position = r.construct(ty, &[xyz, w]);
        if let Some(old) = r.module.op(op).result {
            r.module.value_mut(position).name = r.module.value(old).name;
        }
        self.raw.insert(position, raw);
        position
    }
}

fn reciprocal_w(r: &mut Rewriter<'_>, raw: ValueId) -> ValueId {
    let w = r.extract(raw, 3);
    let one = r.float(1.0);
    r.binary(AkariOp::Div, one, w)
}

/// The structure that a vertex entry returns where clip distances keep it from returning its own: the same for all that return that one.
fn clip_output(r: &mut Rewriter<'_>, func: FuncId, outputs: &mut FxHashMap<StructId, StructId>) -> Option<StructId> {
    let result = r.module.functions[func].result?;
    let TypeKind::Struct(id) = r.module.kind(result) else { return None };
    if !r.module.structs[id].fields.iter().any(|field| field.role == FieldRole::ClipDistance) {
        return None;
    }
    let output = match outputs.get(&id) {
        Some(output) => *output,
        None => {
            let copy = r.module.structs[id].clone();
            let output = r.module.structs.alloc(copy);
            outputs.insert(id, output);
            output
        }
    };
    r.module.functions[func].result = Some(r.module.types.intern(TypeKind::Struct(output)));
    Some(output)
}

/// The parameters that name a resource which an earlier one names, and that one: Metal binds it once.
fn second_names(module: &Module, func: FuncId) -> Vec<(ValueId, ValueId)> {
    let params = &module.functions[func].params;
    let same = |a: &Param, b: &Param| {
        matches!(a.role, ParamRole::Resource(BindingSource::Named { .. } | BindingSource::Slot(_)))
            && a.role == b.role
            && module.value_type(a.value) == module.value_type(b.value)
    };
    let mut found = Vec::new();
    for (index, param) in params.iter().enumerate() {
        if let Some(first) = params[..index].iter().find(|first| same(first, param)) {
            found.push((param.value, first.value));
        }
    }
    found
}

/// Takes parameters away, whose values something else stands for.
fn forget(module: &mut Module, func: FuncId, forgotten: &[ValueId]) {
    module.functions[func].params.retain(|param| !forgotten.contains(&param.value));
    for index in 0..module.functions[func].params.len() {
        let value = module.functions[func].params[index].value;
        module.value_mut(value).def = ValueDef::Param(func, index as u32);
    }
}

fn filter(state: SamplerState) -> SamplerFilter {
    match state.filter {
        Filter::Point => SamplerFilter::Nearest,
        Filter::Linear => SamplerFilter::Linear,
    }
}

fn address(state: SamplerState) -> SamplerAddress {
    match state.address {
        Address::Clamp => SamplerAddress::ClampToEdge,
        Address::Repeat => SamplerAddress::Repeat,
        Address::Mirror => SamplerAddress::MirroredRepeat,
    }
}

fn compare(state: SamplerState) -> SamplerCompare {
    match state.compare {
        None => SamplerCompare::None,
        Some(Compare::LessEqual) => SamplerCompare::LessEqual,
        Some(Compare::GreaterEqual) => SamplerCompare::GreaterEqual,
        Some(Compare::Less) => SamplerCompare::Less,
        Some(Compare::Greater) => SamplerCompare::Greater,
        Some(Compare::Equal) => SamplerCompare::Equal,
        Some(Compare::NotEqual) => SamplerCompare::NotEqual,
        Some(Compare::Always) => SamplerCompare::Always,
        Some(Compare::Never) => SamplerCompare::Never,
    }
}
