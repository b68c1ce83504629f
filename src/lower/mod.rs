//! From a checked program to a module of the `akari` dialect. It decides nothing: names, types and conversions are settled, and
//! each node of the tree has one meaning. What is decided here is only the shape: what is a place and what a value, and in
//! which order things are evaluated, which is the order in which they are written.

mod calls;
mod closures;
mod expr;
mod function;
mod place;
mod sound_part;
mod stmt;
#[cfg(test)]
mod template_tests;
#[cfg(test)]
mod tests;

use akari_dialect::Builtin;
use akari_ir::interface::{FieldRole, ParamRole, Stage};
use akari_ir::module::{Entry, Function, Global, GlobalKind};
use akari_ir::{FuncId, GlobalId, Module};
use rustc_hash::FxHashMap;

use crate::sema::program::{Def, Program};
use crate::sema::types::{BindingId, ConstantId, EnumId, FunctionId, Ty, TyKind};
use closures::{ClosureFunction, SharedClosure};
use function::FunctionLowerer;
pub use sound_part::sound_part;

/// The module of a program that was checked without errors.
#[must_use]
pub fn lower(mut program: Program<'_>) -> Module {
    let mut lowerer = Lowerer {
        functions: Vec::with_capacity(program.functions.len()),
        closures: Vec::with_capacity(program.functions.len()),
        shared: FxHashMap::default(),
        closure_names: FxHashMap::default(),
        masked_rays: FxHashMap::default(),
        constants: vec![None; program.constants.len()],
        cases: vec![Vec::new(); program.enums.len()],
        bindings: vec![None; program.bindings.len()],
        program: &mut program,
    };
    lowerer.globals();
    lowerer.signatures();
    for index in 0..lowerer.functions.len() {
        FunctionLowerer::lower(&mut lowerer, FunctionId(index as u32));
    }
    program.module
}

/// What is known across functions.
struct Lowerer<'p, 'a> {
    program: &'p mut Program<'a>,
    functions: Vec<FuncId>,
    /// The functions of the closures in each function.
    closures: Vec<Vec<ClosureFunction>>,
    /// The functions of closures that are the same in every body.
    shared: FxHashMap<SharedClosure, FuncId>,
    /// How many closures there are of a name.
    closure_names: FxHashMap<String, u32>,
    /// The functions that cast rays whose triangles a function judges.
    masked_rays: FxHashMap<(Builtin, FunctionId), FuncId>,
    constants: Vec<Option<GlobalId>>,
    cases: Vec<Vec<GlobalId>>,
    bindings: Vec<Option<GlobalId>>,
}

impl Lowerer<'_, '_> {
    fn globals(&mut self) {
        for index in 0..self.program.order.len() {
            match self.program.order[index] {
                Def::Constant(id) => self.constant(id),
                Def::Enum(id) => self.enumeration(id),
                Def::Binding(id) => self.binding(id),
                Def::Struct(_) | Def::Bitfield(_) | Def::Function(_) => {}
            }
        }
    }

    fn binding(&mut self, id: BindingId) {
        let info = &self.program.bindings[id.index()];
        let (name, ty) = (info.source.item.name, info.ty);
        let Some(source) = info.bound else { return };
        let global = Global {
            name: self.program.symbol(name.name),
            ty: self.program.erase(ty),
            kind: GlobalKind::Resource { source, slot: None },
            loc: Some(name.span),
        };
        self.bindings[id.index()] = Some(self.program.module.globals.alloc(global));
    }

    fn constant(&mut self, id: ConstantId) {
        let info = &self.program.constants[id.index()];
        let (name, ty, value) = (info.source.item.name, info.ty, info.value);
        let Some(value) = value else { return };
        let global = Global {
            name: self.program.symbol(name.name),
            ty: self.program.erase(ty),
            kind: GlobalKind::Constant(value),
            loc: Some(name.span),
        };
        self.constants[id.index()] = Some(self.program.module.globals.alloc(global));
    }

    fn enumeration(&mut self, id: EnumId) {
        let info = &self.program.enums[id.index()];
        let enum_name = self.program.text(info.source.item.name.name);
        let (scalar, cases) = (info.underlying, info.cases.clone());
        for case in cases.into_values() {
            let name = format!("{enum_name}_{}", self.program.text(case.name));
            let module = &mut self.program.module;
            let value = module.scalar_constant(scalar, u64::from(case.bits));
            let global = Global {
                name: module.symbols.intern(&name),
                ty: module.types.scalar(scalar),
                kind: GlobalKind::Constant(value),
                loc: Some(case.span),
            };
            self.cases[id.index()].push(module.globals.alloc(global));
        }
    }

    fn signatures(&mut self) {
        for index in 0..self.program.functions.len() {
            // Each closure stands before the function around it.
            let closures = self.closure_functions(FunctionId(index as u32));
            self.closures.push(closures);
            let info = &self.program.functions[index];
            let (source, result, entry) = (info.source, info.result, info.entry);
            let bare = !matches!(self.program.kind(result), TyKind::Struct(_) | TyKind::Nothing);
            // A private entry of an imported module is no entry of this package.
            let entry = entry.filter(|_| self.program.is_entry(FunctionId(index as u32)));
            let is_target = bare && entry.is_some_and(|entry| entry.stage == Stage::Fragment);
            let function = Function {
                name: self.program.symbol(source.item.name.name),
                doc: self.program.doc(source.item.doc),
                params: Vec::new(),
                result: (result != Ty::NOTHING).then(|| self.program.erase(result)),
                result_role: if is_target { FieldRole::Location(0) } else { FieldRole::Plain },
                entry: entry.map(|entry| Entry { stage: entry.stage, threads: entry.threads }),
                is_closure: false,
                requested: None,
                body: self.program.module.new_region(),
                loc: Some(source.item.name.span),
            };
            self.functions.push(self.program.module.functions.alloc(function));
        }
    }

    /// The role of a `const` parameter.
    fn const_role(&mut self, ty: Ty) -> ParamRole {
        ParamRole::Const(match self.program.kind(ty) {
            TyKind::Enum(id) => {
                let name = self.program.enums[id.index()].source.item.name.name;
                Some(self.program.symbol(name))
            }
            _ => None,
        })
    }
}
