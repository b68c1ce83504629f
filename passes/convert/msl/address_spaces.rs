//! `msl-address-spaces`: says in types where everything lies that a function is given a reference to.
//!
//! A groupshared variable is declared in the kernels that reach it, and passed to the functions that do. A function whose
//! reference parameter is given a groupshared variable or a module-level constant gets a copy for that address space. A component of
//! a vector, to which Metal binds no reference, is passed by way of a variable.

use akari_dialect::AkariOp;
use akari_dialect_msl::MslOp;
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::GlobalKind;
use akari_ir::{Attr, Entity, FuncId, GlobalId, Module, OpId, SecondaryMap, Space, TypeKind, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::calls::{callees, callees_first, reached_from};
use crate::analysis::walk::operations;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::clone::{Cloner, Verbatim};
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct MslAddressSpaces;

impl Pass for MslAddressSpaces {
    const NAME: &'static str = "msl-address-spaces";
    const SUMMARY: &'static str = "declare groupshared variables in kernels, and name address spaces in parameters";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut |r, op| Components.op(r, op));
        pass_groupshared(&mut rewriter);
        let changed = rewriter.changed;
        let copies = specialise(module);
        context.count("functions copied for an address space", copies);
        Ok(if changed || copies > 0 { Changed::Yes } else { Changed::No })
    }
}

/// Passes components of vectors by way of variables.
struct Components;

impl Components {
    fn op(&mut self, r: &mut Rewriter<'_>, op: OpId) -> Outcome {
        if AkariOp::of(r.module.op(op)) != Some(AkariOp::Call) {
            return Outcome::Keep;
        }
        let callee = r.module.op(op).func(0);
        let mut operands = r.module.op(op).operands.to_vec();
        let mut written = Vec::new();
        for (index, argument) in operands.iter_mut().enumerate() {
            if !is_component(r.module, *argument) {
                continue;
            }
            let ty = r.pointee(*argument);
            let value = r.load(*argument);
            let copy = r.local(ty, Some(value), "component");
            if r.module.functions[callee].params[index].mode == PassMode::Inout {
                written.push((*argument, copy));
            }
            *argument = copy;
        }
        if operands[..] == r.module.op(op).operands[..] {
            return Outcome::Keep;
        }
        let result = r.call(callee, &operands);
        for (place, copy) in written {
            let value = r.load(copy);
            r.store(place, value);
        }
        match result {
            Some(value) => {
                if let Some(old) = r.module.op(op).result {
                    r.module.value_mut(value).name = r.module.value(old).name;
                }
                Outcome::Replace(value)
            }
            None => Outcome::Remove,
        }
    }
}

fn is_component(module: &Module, place: ValueId) -> bool {
    let Some(op) = module.defining_op(place) else { return false };
    let op = module.op(op);
    AkariOp::of(op) == Some(AkariOp::Element)
        && module
            .types
            .as_place(module.value_type(op.operands[0]))
            .is_some_and(|(_, of)| matches!(module.kind(of), TypeKind::Vector(..)))
}

/// The groupshared variables that each function reaches, in order of declaration.
fn groupshared_of_functions(module: &Module) -> Vec<Vec<GlobalId>> {
    let callees = callees(module);
    let mut reached: Vec<Vec<GlobalId>> = vec![Vec::new(); callees.len()];
    for func in callees_first(module) {
        let mut variables = Vec::new();
        for op in operations(module, func) {
            if let Some(global) = groupshared(module, op) {
                variables.push(global);
            }
        }
        for callee in &callees[func.index()] {
            variables.extend(&reached[callee.index()]);
        }
        variables.sort_unstable();
        variables.dedup();
        reached[func.index()] = variables;
    }
    reached
}

fn groupshared(module: &Module, op: OpId) -> Option<GlobalId> {
    let op = module.op(op);
    let global = (AkariOp::of(op) == Some(AkariOp::GlobalPlace)).then(|| op.global(0))?;
    (module.globals[global].kind == GlobalKind::Workgroup).then_some(global)
}

fn pass_groupshared(rewriter: &mut Rewriter<'_>) {
    let reached = groupshared_of_functions(rewriter.module);
    let mut places: Vec<FxHashMap<GlobalId, ValueId>> = vec![FxHashMap::default(); reached.len()];
    for (index, variables) in reached.iter().enumerate() {
        let func = FuncId::from_index(index as u32);
        for global in variables {
            let (name, of) = (rewriter.module.globals[*global].name, rewriter.module.globals[*global].ty);
            let ty = rewriter.module.types.place(Space::Workgroup, of);
            if rewriter.module.functions[func].entry.is_none() {
                let value = rewriter.module.add_param(func, Some(name), ty, PassMode::Inout, ParamRole::Plain);
                places[index].insert(*global, value);
            }
        }
        if rewriter.module.functions[func].entry.is_some() && !variables.is_empty() {
            rewriter.at_start(func, |r| {
                for global in variables {
                    let (name, of) = (r.module.globals[*global].name, r.module.globals[*global].ty);
                    let ty = r.module.types.place(Space::Workgroup, of);
                    let value = r.value_of(MslOp::Threadgroup.def(), &[], &[], ty);
                    r.module.value_mut(value).name = Some(name);
                    places[index].insert(*global, value);
                }
            });
        }
    }
    for index in 0..reached.len() {
        if !reached[index].is_empty() {
            let mut threading = Threading { reached: &reached, places: &places[index] };
            rewriter.function(FuncId::from_index(index as u32), &mut |r, op| threading.op(r, op));
        }
    }
}

/// Replaces the groupshared variables of one function by what it was given, and hands them on.
struct Threading<'a> {
    reached: &'a [Vec<GlobalId>],
    places: &'a FxHashMap<GlobalId, ValueId>,
}

impl Threading<'_> {
    fn op(&mut self, r: &mut Rewriter<'_>, op: OpId) -> Outcome {
        if let Some(place) = groupshared(r.module, op).and_then(|global| self.places.get(&global)) {
            return Outcome::Replace(*place);
        }
        if AkariOp::of(r.module.op(op)) == Some(AkariOp::Call) {
            let callee = r.module.op(op).func(0);
            if let Some(variables) = self.reached.get(callee.index()) {
                let places = variables.iter().filter_map(|global| self.places.get(global));
                r.module.op_mut(op).operands.extend(places.copied());
            }
        }
        Outcome::Keep
    }
}

/// Gives each function a copy for each combination of address spaces that it is called with. How many copies there are.
fn specialise(module: &mut Module) -> u64 {
    let mut copies: FxHashMap<(FuncId, Vec<Space>), FuncId> = FxHashMap::default();
    // A copy is looked at after it is made, and so are the calls in it.
    let mut pending: Vec<FuncId> = module.functions.ids().collect();
    while let Some(func) = pending.pop() {
        for op in operations(module, func) {
            if AkariOp::of(module.op(op)) != Some(AkariOp::Call) {
                continue;
            }
            let callee = module.op(op).func(0);
            let wanted = place_spaces(module, module.functions[callee].params.iter().map(|param| param.value));
            let given = place_spaces(module, module.op(op).operands.iter().copied());
            if wanted == given {
                continue;
            }
            let copy = match copies.get(&(callee, given.clone())) {
                Some(copy) => *copy,
                None => {
                    let copy = copy_for(module, callee, &given);
                    copies.insert((callee, given), copy);
                    pending.push(copy);
                    copy
                }
            };
            module.op_mut(op).attrs[0] = Attr::Func(copy);
        }
    }
    keep_names(module, &copies);
    copies.len() as u64
}

/// A copy that has taken the place of its original altogether has its name.
fn keep_names(module: &mut Module, copies: &FxHashMap<(FuncId, Vec<Space>), FuncId>) {
    let reached = reached_from(module, crate::strip::entries(module));
    let mut numbers: SecondaryMap<FuncId, u32> = SecondaryMap::new();
    copies.keys().for_each(|(original, _)| *numbers.get_mut(*original) += 1);
    for ((original, _), copy) in copies {
        if *numbers.get(*original) == 1 && !reached[original.index()] {
            module.functions[*copy].name = module.functions[*original].name;
        }
    }
}

fn place_spaces(module: &Module, values: impl Iterator<Item = ValueId>) -> Vec<Space> {
    values.filter_map(|value| module.types.as_place(module.value_type(value)).map(|(space, _)| space)).collect()
}

fn copy_for(module: &mut Module, callee: FuncId, spaces: &[Space]) -> FuncId {
    let mut cloner = Cloner::within(module);
    let copy = cloner.declare(callee);
    let mut spaces = spaces.iter();
    let mut named = None;
    for index in 0..cloner.source().functions[callee].params.len() {
        let param = cloner.param(callee, index, copy);
        let Some((old, of)) = cloner.target.types.as_place(cloner.target.value_type(param)) else { continue };
        let Some(space) = spaces.next() else { continue };
        cloner.target.value_mut(param).ty = cloner.target.types.place(*space, of);
        if old != *space {
            named = Some(*space);
        }
    }
    let (from, into) = (cloner.source().functions[callee].body, cloner.target.functions[copy].body);
    cloner.region(from, into, &mut Verbatim);
    let suffix = match named {
        Some(Space::Workgroup) => "_threadgroup",
        Some(Space::Constant) => "_constant",
        Some(Space::Uniform | Space::StorageRead | Space::Storage | Space::Atomic | Space::Function) | None => "",
    };
    let name = format!("{}{suffix}", module.text(module.functions[copy].name));
    module.functions[copy].name = module.symbols.intern(&name);
    copy
}
