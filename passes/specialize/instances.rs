//! The specializations there must be, found while those before them are copied.

use std::rc::Rc;

use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::{Param, Requested};
use akari_ir::{
    Code, ConstId, Diagnostic, FuncId, GlobalId, Module, OpId, SecondaryMap, Severity, Span, Symbol, Type, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::Body;
use super::chain;
use super::codes;
use super::key::{Argument, ClosureId, Closures, Key};
use super::names::{self, EnumCases};
use crate::manager::pass::PassContext;
use crate::rewrite::clone::Cloner;
use crate::strip::reach::Reach;

/// So many specializations a program may need.
const MOST_INSTANCES: usize = 1 << 16;

/// So many operations all of them may have.
pub(super) const MOST_OPERATIONS: u64 = 1 << 23;

/// An error about no operation.
pub(super) fn fault(code: Code, span: Option<Span>, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Error, code, message: message.into(), span, notes: Vec::new(), help: None }
}

/// A value that function values have captured, as the function that they are passed to gets it.
#[derive(Clone, Debug)]
pub(super) struct Captured {
    pub(super) value: ValueId,
    pub(super) mode: PassMode,
    /// Its name in the source module.
    pub(super) name: Option<Symbol>,
}

/// A specialization.
pub(super) struct Instance {
    pub(super) key: Rc<Key>,
    /// It in the target module.
    pub(super) copy: FuncId,
    /// The named instance of the source whose name it has.
    pub(super) name: Option<FuncId>,
    /// The types of the captured values that are passed to it, how, and under which name.
    captured: Vec<(Type, PassMode, Option<Symbol>)>,
    /// The specializations that it calls, and where.
    calls: Vec<(usize, Option<Span>)>,
}

impl Instance {
    /// Whether anything is known of its arguments.
    pub(super) fn is_special(&self) -> bool {
        !self.key.arguments.is_empty()
    }
}

/// What a value of the source module is while its function is copied.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A constant of the target module.
    Const {
        value: ConstId,
        /// Whether that depends on the arguments of the specialization.
        open: bool,
        /// The operation of the source that is copied for each use; without one a constant is made.
        origin: Option<OpId>,
        /// Whether it stands in the copy already, under its name.
        stands: bool,
    },
    /// `none`.
    None,
    /// A function value and the values of the target module that it has captured.
    Closure { id: ClosureId, captured: Rc<[ValueId]> },
}

/// A named instance: its template, and what its arguments say of the template's parameters.
pub(super) struct Named {
    pub(super) template: FuncId,
    /// One a parameter.
    pub(super) arguments: Box<[Argument]>,
}

pub(super) struct Specializer<'s> {
    pub(super) source: &'s Module,
    pub(super) reach: &'s Reach,
    pub(super) closures: Closures,
    /// How deep closures are captured in each closure.
    pub(super) depths: Vec<u32>,
    pub(super) open_types: FxHashMap<FuncId, Box<[Type]>>,
    /// Those of the specialization that is copied that have a length which is none, and the number that is none.
    pub(super) bad_lengths: Vec<(Type, Option<i64>)>,
    /// Whether the copier replaces open types at the moment.
    pub(super) types_closed: bool,
    pub(super) named: FxHashMap<FuncId, Rc<Named>>,
    meanings: SecondaryMap<ValueId, Option<(u32, Meaning)>>,
    numbers: FxHashMap<Rc<Key>, usize>,
    pub(super) instances: Vec<Instance>,
    /// How many specializations of each function have a name that was made up.
    ordinals: SecondaryMap<FuncId, u32>,
    cases: EnumCases,
    diagnostics: Vec<(Option<usize>, Diagnostic)>,
    told: FxHashSet<(Code, Option<Span>)>,
    pub(super) copied: u64,
    memo_hits: u64,
    /// Whether a limit was passed: nothing more is copied.
    pub(super) gave_up: bool,
    /// The groupshared variables of the specialization that is copied.
    pub(super) workgroup: FxHashMap<GlobalId, GlobalId>,
}

impl<'s> Specializer<'s> {
    pub(super) fn new(source: &'s Module, reach: &'s Reach) -> Self {
        Self {
            source,
            reach,
            closures: Closures::default(),
            depths: Vec::new(),
            open_types: FxHashMap::default(),
            bad_lengths: Vec::new(),
            types_closed: false,
            named: FxHashMap::default(),
            meanings: SecondaryMap::new(),
            numbers: FxHashMap::default(),
            instances: Vec::new(),
            ordinals: SecondaryMap::new(),
            cases: names::enum_cases(source),
            diagnostics: Vec::new(),
            told: FxHashSet::default(),
            copied: 0,
            memo_hits: 0,
            gave_up: false,
            workgroup: FxHashMap::default(),
        }
    }

    /// Copies what the roots need.
    pub(super) fn from_roots(&mut self, cloner: &mut Cloner<'_>, roots: &[FuncId]) {
        for root in roots {
            Body::new(self, None).root(cloner, *root);
        }
        let mut next = 0;
        while next < self.instances.len() && !self.gave_up {
            self.copy(cloner, next);
            next += 1;
        }
    }

    /// The specializations, after telling what is wrong with them.
    pub(super) fn finish(mut self, target: &Module, context: &mut PassContext) -> Vec<Instance> {
        if !self.gave_up {
            self.check_recursion(target);
        }
        context.count("memo hits", self.memo_hits);
        context.count("cloned ops", self.copied);
        for (instance, diagnostic) in self.diagnostics {
            let diagnostic = match instance {
                Some(instance) => chain::with_instances(target, self.instances[instance].copy, diagnostic),
                None => diagnostic,
            };
            context.diagnostics.push(diagnostic);
        }
        self.instances
    }

    /// Tells an error, found in an instance, once for each place in the source.
    pub(super) fn report(&mut self, instance: Option<usize>, diagnostic: Diagnostic) {
        if self.told.insert((diagnostic.code, diagnostic.span)) {
            self.diagnostics.push((instance, diagnostic));
        }
    }

    /// What a value is in the instance (or, without one, at module level).
    pub(super) fn meaning(&self, stamp: u32, value: ValueId) -> Option<&Meaning> {
        self.meanings.get(value).as_ref().filter(|(of, _)| *of == stamp).map(|(_, meaning)| meaning)
    }

    pub(super) fn set_meaning(&mut self, stamp: u32, value: ValueId, meaning: Meaning) {
        self.meanings.set(value, Some((stamp, meaning)));
    }

    /// The specialization for a key, made if it is not there.
    pub(super) fn request(
        &mut self,
        cloner: &mut Cloner<'_>,
        key: Key,
        name: Option<FuncId>,
        captured: &[Captured],
        by: Option<(usize, Option<Span>)>,
    ) -> usize {
        if let Some(number) = self.numbers.get(&key).copied() {
            self.memo_hits += u64::from(!key.arguments.is_empty());
            if let Some(of) = name.filter(|_| self.instances[number].name.is_none()) {
                self.instances[number].name = name;
                let requested = Requested { by: None, at: self.source.functions[of].loc };
                cloner.target.functions[self.instances[number].copy].requested = Some(requested);
                self.rename(cloner, number);
            }
            return number;
        }
        let number = self.instances.len();
        if number >= MOST_INSTANCES && !self.gave_up {
            self.gave_up = true;
            let message = format!("this program needs more than {MOST_INSTANCES} specializations of its functions");
            let span = by.and_then(|(_, at)| at).or(self.source.functions[key.function].loc);
            self.report(by.map(|(instance, _)| instance), fault(codes::TOO_MANY, span, message));
        }
        let declared = name.unwrap_or(key.function);
        let copy = cloner.declare(declared);
        let key = Rc::new(key);
        let special = !key.arguments.is_empty();
        let doc = self.source.functions[key.function].doc.map(|doc| cloner.symbol(doc));
        let function = &mut cloner.target.functions[copy];
        function.is_closure = false;
        function.doc = function.doc.or(doc);
        let declared = &self.source.functions[declared];
        // A template of an entry is no entry; what is named after it is.
        if name.is_none() && self.source.is_template(key.function) {
            function.entry = None;
        }
        if special {
            let at = if name.is_some() { declared.loc } else { by.and_then(|(_, at)| at) };
            let by = if name.is_some() { None } else { by.map(|(instance, _)| self.instances[instance].copy) };
            function.requested = Some(Requested { by, at });
        }
        let captured = captured
            .iter()
            .map(|captured| (cloner.target.value_type(captured.value), captured.mode, captured.name))
            .collect();
        self.instances.push(Instance { key: Rc::clone(&key), copy, name, captured, calls: Vec::new() });
        self.numbers.insert(key, number);
        self.rename(cloner, number);
        number
    }

    /// Gives an instance the name that it is to have.
    fn rename(&mut self, cloner: &mut Cloner<'_>, number: usize) {
        let instance = &self.instances[number];
        let symbol = match instance.name {
            Some(name) => {
                let doc = self.source.functions[name].doc;
                if let Some(doc) = doc {
                    cloner.target.functions[instance.copy].doc = Some(cloner.symbol(doc));
                }
                cloner.symbol(self.source.functions[name].name)
            }
            None if instance.is_special() => {
                let ordinal = self.ordinals.get_mut(instance.key.function);
                let name = names::of(
                    self.source,
                    cloner.target,
                    &self.closures,
                    &self.cases,
                    &instance.key,
                    *ordinal as usize,
                );
                *ordinal += 1;
                cloner.target.symbols.intern(&name)
            }
            None => return,
        };
        cloner.target.functions[self.instances[number].copy].name = symbol;
    }

    pub(super) fn add_call(&mut self, caller: usize, callee: usize, at: Option<Span>) {
        self.instances[caller].calls.push((callee, at));
    }

    /// Copies the parameters and the body of an instance.
    fn copy(&mut self, cloner: &mut Cloner<'_>, number: usize) {
        let (key, copy) = (Rc::clone(&self.instances[number].key), self.instances[number].copy);
        self.workgroup.clear();
        self.close_types(cloner, &key);
        if let Some(diagnostic) = self.bad_length_in_signature(key.function) {
            self.report(Some(number), diagnostic);
            return;
        }
        let stamp = number as u32;
        let function = &self.source.functions[key.function];
        cloner.target.functions[copy].result = function.result.map(|ty| cloner.ty(ty));
        let body = cloner.target.functions[copy].body;
        let mut closures = Vec::new();
        for (index, Param { value, .. }) in function.params.iter().enumerate() {
            match key.argument(index) {
                Argument::Runtime | Argument::Captured(_) => {
                    cloner.param(key.function, index, copy);
                    let role = self.role(cloner, number, copy);
                    if let Some(param) = cloner.target.functions[copy].params.last_mut() {
                        param.role = role;
                    }
                }
                Argument::Const(constant) => {
                    let meaning = Meaning::Const { value: constant, open: true, origin: None, stands: false };
                    self.set_meaning(stamp, *value, meaning);
                }
                Argument::None => self.set_meaning(stamp, *value, Meaning::None),
                Argument::Resource(global) => {
                    let ty = cloner.ty(self.source.value_type(*value));
                    let resource = Body::resource(cloner, global, ty, body);
                    cloner.set_value(*value, resource);
                }
                Argument::Closure(id) => closures.push((*value, id)),
            }
        }
        let captured: Rc<[ValueId]> = self.instances[number]
            .captured
            .iter()
            .map(|(ty, mode, name)| {
                let name = name.map(|name| cloner.symbol(name));
                cloner.target.add_param(copy, name, *ty, *mode, ParamRole::Plain)
            })
            .collect();
        for (value, id) in closures {
            self.set_meaning(stamp, value, Meaning::Closure { id, captured: Rc::clone(&captured) });
        }
        let from = function.body;
        cloner.region(from, body, &mut Body::new(self, Some(number)));
    }

    /// What the last parameter of a copy is: a named instance says it for its own, which are those that its template has at run time.
    fn role(&self, cloner: &mut Cloner<'_>, number: usize, copy: FuncId) -> ParamRole {
        let last = cloner.target.functions[copy].params.len() - 1;
        let own = self.instances[number].name.and_then(|name| self.source.functions[name].params.get(last));
        let role = own.map_or(cloner.target.functions[copy].params[last].role, |param| match param.role {
            ParamRole::Resource(source) => ParamRole::Resource(cloner.binding(source)),
            role @ (ParamRole::Plain | ParamRole::System(_) | ParamRole::StageIn) => role,
            ParamRole::Const(_) | ParamRole::Optional => ParamRole::Plain,
        });
        if role == ParamRole::Optional { ParamRole::Plain } else { role }
    }

    /// Functions that call themselves by way of function values: calls by name were looked at before.
    fn check_recursion(&mut self, target: &Module) {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.instances.len()];
        let mut cycles = Vec::new();
        for start in 0..self.instances.len() {
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::Open;
            let mut path = vec![(start, 0)];
            while let Some((instance, next)) = path.last_mut() {
                let instance = *instance;
                let Some((callee, _)) = self.instances[instance].calls.get(*next).copied() else {
                    marks[instance] = Mark::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match marks[callee] {
                    Mark::Done => {}
                    Mark::New => {
                        marks[callee] = Mark::Open;
                        path.push((callee, 0));
                    }
                    Mark::Open => {
                        let from = path.iter().position(|(open, _)| *open == callee).unwrap_or(0);
                        let cycle = path[from..].iter().map(|(open, next)| (*open, self.instances[*open].calls[next - 1].1));
                        cycles.push(cycle.collect::<Vec<_>>());
                    }
                }
            }
        }
        for cycle in cycles {
            let name = |instance: usize| format!("`{}`", target.text(target.functions[self.instances[instance].copy].name));
            let names: Vec<String> = cycle.iter().chain(cycle.first()).map(|(instance, _)| name(*instance)).collect();
            let span = target.functions[self.instances[cycle[0].0].copy].loc;
            let message = format!("recursion is not allowed: {}", names.join(" calls "));
            let mut diagnostic = fault(codes::RECURSION, span, message);
            for (instance, at) in &cycle {
                if let Some(at) = at {
                    diagnostic = diagnostic.note_at(*at, format!("{} calls on here", name(*instance)));
                }
            }
            self.report(None, diagnostic);
        }
    }
}
