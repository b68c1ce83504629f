//! The specializations there must be, found while those before them are copied.

use std::rc::Rc;

use akari_ir::interface::{FieldRole, ParamRole, PassMode};
use akari_ir::module::{Param, Requested};
use akari_ir::{Code, ConstId, Diagnostic, FuncId, GlobalId, Module, OpId, SecondaryMap, Span, Symbol, Type, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::Body;
use super::chain;
use super::codes;
use super::key::{Argument, ClosureId, Closures, Key};
use super::names::{self, EnumCases};
use super::open::describe;
use super::recursion;
use crate::manager::pass::PassContext;
use crate::rewrite::clone::Cloner;
use crate::strip::reach::Reach;

/// So many specializations a program may need.
const MOST_INSTANCES: usize = 1 << 16;

/// So many operations all of them may have.
pub(super) const MOST_OPERATIONS: u64 = 1 << 22;

/// So many arguments a call may have in SPIR-V (the specification's universal limits), and everywhere.
const MOST_PARAMETERS: usize = 255;

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
    /// The specializations that it calls, and the calls.
    pub(super) calls: Vec<(usize, OpId)>,
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
    /// One a parameter; none where one of them is at fault, which was told.
    pub(super) arguments: Option<Box<[Argument]>>,
}

pub(super) struct Specializer<'s> {
    pub(super) source: &'s Module,
    pub(super) reach: &'s Reach,
    pub(super) closures: Closures,
    /// How deep closures are captured in each closure.
    pub(super) depths: Vec<u32>,
    /// How many of the last parameters of a function are captures.
    pub(super) captures: SecondaryMap<FuncId, usize>,
    pub(super) open_types: FxHashMap<FuncId, Rc<[Type]>>,
    /// Those of the specialization that is copied that have a length which is none, and the number that is none.
    pub(super) bad_lengths: FxHashMap<Type, Option<i64>>,
    /// Whether the copier replaces open types at the moment.
    pub(super) types_closed: bool,
    pub(super) named: FxHashMap<FuncId, Rc<Named>>,
    /// An empty table for the next body.
    pub(super) meanings: FxHashMap<ValueId, Meaning>,
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
            captures: SecondaryMap::new(),
            open_types: FxHashMap::default(),
            bad_lengths: FxHashMap::default(),
            types_closed: false,
            named: FxHashMap::default(),
            meanings: FxHashMap::default(),
            numbers: FxHashMap::default(),
            instances: Vec::new(),
            ordinals: SecondaryMap::new(),
            cases: EnumCases::default(),
            diagnostics: Vec::new(),
            told: FxHashSet::default(),
            copied: 0,
            memo_hits: 0,
            gave_up: false,
            workgroup: FxHashMap::default(),
        }
    }

    /// Copies what the roots need.
    pub(super) fn copy_all(&mut self, cloner: &mut Cloner<'_>, roots: &[FuncId]) {
        for root in roots {
            let mut body = Body::new(self, None);
            body.root(cloner, *root);
            body.end();
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
            recursion::check(&mut self, target);
        }
        if self.diagnostics.is_empty() {
            self.check_calls(target);
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

    /// Where a named instance is written, all of it, which its only operation knows.
    fn whole_place(&self, instance: FuncId) -> Option<Span> {
        let function = &self.source.functions[instance];
        let op = self.source.region(function.body).ops.last();
        op.and_then(|op| self.source.op(*op).loc).or(function.loc)
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
                let requested = Requested { by: None, at: self.whole_place(of) };
                let function = &mut cloner.target.functions[self.instances[number].copy];
                function.requested = Some(requested);
                function.loc = self.source.functions[of].loc.or(function.loc);
                self.rename(cloner, number);
            }
            return number;
        }
        let number = self.instances.len();
        if number >= MOST_INSTANCES && !self.gave_up {
            self.gave_up = true;
            let message = format!("this program needs more than {MOST_INSTANCES} specializations of its functions");
            let span = by.and_then(|(_, at)| at).or(self.source.functions[key.function].loc);
            self.report(by.map(|(instance, _)| instance), Diagnostic::error(codes::TOO_MANY, span, message));
        }
        let declared = name.unwrap_or(key.function);
        let copy = cloner.declare_without_types(declared);
        let key = Rc::new(key);
        let special = !key.arguments.is_empty();
        let doc = self.source.functions[key.function].doc.map(|doc| cloner.symbol(doc));
        let function = &mut cloner.target.functions[copy];
        function.is_closure = false;
        function.doc = function.doc.or(doc);
        let declared = &self.source.functions[declared];
        // A template of an entry is no entry; what is named after it is.
        function.entry = match key.entry {
            Some(entry) => self.source.functions[entry].entry,
            None if special => None,
            None => declared.entry.filter(|_| !self.source.is_template(key.function)),
        };
        if function.entry.is_none() {
            function.result_role = FieldRole::Plain;
        }
        if special {
            let at = name.map_or_else(|| by.and_then(|(_, at)| at), |name| self.whole_place(name));
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
                    self.source, cloner.target, &self.closures, &mut self.cases, &instance.key, *ordinal as usize,
                );
                *ordinal += 1;
                cloner.target.symbols.intern(&name)
            }
            None => return,
        };
        cloner.target.functions[self.instances[number].copy].name = symbol;
    }

    pub(super) fn add_call(&mut self, caller: usize, callee: usize, call: OpId) {
        self.instances[caller].calls.push((callee, call));
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
        let function = &self.source.functions[key.function];
        cloner.function_result(key.function, copy);
        let is_entry = cloner.target.functions[copy].entry.is_some();
        let into = cloner.target.functions[copy].body;
        for (index, _) in
            function.params.iter().enumerate().filter(|(index, _)| key.argument(*index) == Argument::Runtime)
        {
            cloner.param(key.function, index, copy);
            let role = if is_entry { self.role(cloner, number, copy) } else { ParamRole::Plain };
            let is_capture = index >= function.params.len() - self.captures.get(key.function);
            if let Some(param) = cloner.target.functions[copy].params.last_mut() {
                param.role = role;
                param.is_capture = is_capture && !is_entry;
            }
        }
        let captured: Rc<[ValueId]> = self.instances[number]
            .captured
            .iter()
            .map(|(ty, mode, name)| {
                let name = name.map(|name| cloner.symbol(name));
                let value = cloner.target.add_param(copy, name, *ty, *mode, ParamRole::Plain);
                if let Some(param) = cloner.target.functions[copy].params.last_mut() {
                    param.is_capture = true;
                }
                value
            })
            .collect();
        if cloner.target.functions[copy].params.len() > MOST_PARAMETERS {
            let message = format!(
                "with what its function values have captured this function has more than {MOST_PARAMETERS} parameters"
            );
            self.report(Some(number), Diagnostic::error(codes::TOO_MANY, function.loc, message));
            return;
        }
        let mut body = Body::new(self, Some(number));
        for (index, Param { value, .. }) in function.params.iter().enumerate() {
            match key.argument(index) {
                Argument::Runtime => {}
                Argument::Captured(number) => cloner.set_value(*value, captured[number as usize]),
                Argument::Const(constant) => {
                    body.found(cloner, Some(*value), constant, true, into);
                }
                Argument::None => body.set_meaning(*value, Meaning::None),
                Argument::Resource(global) => {
                    let ty = cloner.ty(body.specializer.source.value_type(*value));
                    let resource = Body::resource(cloner, global, ty, into);
                    cloner.set_value(*value, resource);
                }
                Argument::Closure(id) => {
                    body.set_meaning(*value, Meaning::Closure { id, captured: Rc::clone(&captured) });
                }
            }
        }
        cloner.region(function.body, into, &mut body);
        body.end();
    }

    /// What the last parameter of an entry is: a named instance says it for its own, which are those that its template has at run time.
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

    /// Whether what is passed is what is taken, where the lengths of arrays are known here only.
    fn check_calls(&mut self, target: &Module) {
        let mut faults = Vec::new();
        for (number, instance) in self.instances.iter().enumerate() {
            for (callee, call) in &instance.calls {
                let callee = &target.functions[self.instances[*callee].copy];
                let op = target.op(*call);
                let name = target.text(callee.name);
                let mut expect = |given: Type, wanted: Type, does: &str, what: &str| {
                    let inner = |ty| target.types.as_place(ty).map_or(ty, |(_, pointee)| pointee);
                    if inner(given) != inner(wanted) {
                        let (given, wanted) = (describe(target, inner(given)), describe(target, inner(wanted)));
                        let message = format!("{given} is {does} here, and `{name}` {what} {wanted}");
                        faults.push((number, Diagnostic::error(codes::LENGTH, op.loc, message)));
                    }
                };
                for (param, operand) in callee.params.iter().zip(&op.operands) {
                    expect(target.value_type(*operand), target.value_type(param.value), "passed", "takes");
                }
                if let (Some(result), Some(wanted)) = (op.result, callee.result) {
                    expect(target.value_type(result), wanted, "needed", "gives");
                }
            }
        }
        faults.into_iter().for_each(|(number, fault)| self.report(Some(number), fault));
    }
}
