//! Which bindings each function reaches, and what is only passed around.

use akari_dialect::AkariOp;
use akari_ir::{Entity, FuncId, GlobalId, Module, OpId, SecondaryMap, Traits, ValueId};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, Reversed};
use rustc_hash::FxHashMap;

use crate::analysis::walk::operations;
use crate::strip::reach::Reach;

/// What is reached.
pub(super) struct Reached {
    /// The bindings that each function reaches, in order of declaration.
    bindings: Vec<Vec<GlobalId>>,
    /// Of each function, which of its parameters stay.
    kept: Vec<Vec<bool>>,
    dropped: SecondaryMap<ValueId, bool>,
    unused: SecondaryMap<OpId, bool>,
}

impl Reached {
    /// Looks at all functions, whether an entry reaches them or not.
    pub(super) fn of(module: &Module, bindings: &[GlobalId]) -> Self {
        let live = Reach::from_functions(module, module.functions.ids());
        let flow = Flow::of(module, &live);
        let bindings = flow.bindings(module, bindings);
        let dropped = flow.dropped(&bindings);
        let functions = module.functions.iter().map(|(_, function)| &function.params);
        let kept = functions.map(|params| params.iter().map(|param| !dropped.get(param.value)).collect()).collect();
        let mut unused = SecondaryMap::new();
        for func in module.functions.ids() {
            for op in operations(module, func) {
                // The mark of where a groupshared variable is declared is no use, and is wanted later.
                let mark = AkariOp::of(module.op(op)) == Some(AkariOp::GlobalPlace);
                unused.set(op, !live.is_live(op) && !mark);
            }
        }
        Self { bindings, kept, dropped, unused }
    }

    /// The bindings that a function reaches, in order of declaration.
    pub(super) fn bindings(&self, func: FuncId) -> &[GlobalId] {
        &self.bindings[func.index()]
    }

    /// Which parameters of a function stay.
    pub(super) fn kept(&self, func: FuncId) -> &[bool] {
        &self.kept[func.index()]
    }

    /// Whether a parameter goes, or a resource that was stepped to.
    pub(super) fn is_dropped(&self, value: ValueId) -> bool {
        *self.dropped.get(value)
    }

    /// Whether nothing uses what an operation gives, and it does nothing else.
    pub(super) fn is_unused(&self, op: OpId) -> bool {
        *self.unused.get(op)
    }
}

/// Something that holds a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    /// A parameter, or what an operation steps to from one: an element of an array, a texture of a bindless table.
    Value(ValueId),
    /// A binding, as a function names it.
    Binding(FuncId, GlobalId),
}

/// Whether an operation does nothing but step from a resource to one that it holds.
fn is_step(module: &Module, id: OpId) -> bool {
    let op = module.op(id);
    module.traits(id).has(Traits::ADDRESS) && op.result.is_some_and(|result| module.value_kind(result).is_handle())
}

/// How handles go from function to function.
struct Flow {
    /// An edge leads from what is passed to the parameter it is passed to, from what is stepped from to what is stepped to, and from what any
    /// other operation uses to `used`: one for each time.
    graph: DiGraph<Option<Holder>, ()>,
    used: NodeIndex,
    /// An edge from caller to callee for each call.
    calls: DiGraph<(), ()>,
}

impl Flow {
    fn of(module: &Module, live: &Reach) -> Self {
        let mut graph = DiGraph::new();
        let used = graph.add_node(None);
        let mut calls = DiGraph::with_capacity(module.functions.len(), 0);
        for _ in module.functions.ids() {
            calls.add_node(());
        }
        let mut nodes: FxHashMap<Holder, NodeIndex> = FxHashMap::default();
        for func in module.functions.ids() {
            let mut named: FxHashMap<ValueId, GlobalId> = FxHashMap::default();
            for id in operations(module, func).into_iter().filter(|op| live.is_live(*op)) {
                let op = module.op(id);
                if let (Some(AkariOp::Resource), Some(result)) = (AkariOp::of(op), op.result) {
                    named.insert(result, op.global(0));
                    continue;
                }
                let part = op.result.filter(|_| is_step(module, id));
                let callee = (AkariOp::of(op) == Some(AkariOp::Call)).then(|| op.func(0));
                if let Some(callee) = callee {
                    calls.add_edge(NodeIndex::new(func.index()), NodeIndex::new(callee.index()), ());
                }
                for (index, operand) in op.operands.iter().enumerate() {
                    let holder = match named.get(operand) {
                        Some(binding) => Holder::Binding(func, *binding),
                        None if module.value_kind(*operand).is_handle() => Holder::Value(*operand),
                        None => continue,
                    };
                    let from = *nodes.entry(holder).or_insert_with(|| graph.add_node(Some(holder)));
                    let param = callee.and_then(|callee| module.functions[callee].params.get(index));
                    let to = match param.map(|param| param.value).or(part) {
                        Some(value) => {
                            let holder = Holder::Value(value);
                            *nodes.entry(holder).or_insert_with(|| graph.add_node(Some(holder)))
                        }
                        None => used,
                    };
                    graph.add_edge(from, to, ());
                }
            }
        }
        Self { graph, used, calls }
    }

    /// The bindings that each function reaches, in order of declaration.
    fn bindings(&self, module: &Module, all: &[GlobalId]) -> Vec<Vec<GlobalId>> {
        let mut users: FxHashMap<GlobalId, Vec<FuncId>> = FxHashMap::default();
        let against = Reversed(&self.graph);
        let mut walk = Dfs::new(against, self.used);
        while let Some(node) = walk.next(against) {
            if let Some(Holder::Binding(func, binding)) = self.graph[node] {
                users.entry(binding).or_default().push(func);
            }
        }
        let mut reached = vec![Vec::new(); module.functions.len()];
        let callers = Reversed(&self.calls);
        for binding in all {
            let mut walk = Dfs::empty(callers);
            walk.stack.extend(users.get(binding).into_iter().flatten().map(|func| NodeIndex::new(func.index())));
            while let Some(func) = walk.next(callers) {
                reached[func.index()].push(*binding);
            }
        }
        reached
    }

    /// The parameters that a binding, or a resource in it, is passed to where it is not reached, and those that these are passed to; and such
    /// resources.
    fn dropped(&self, reached: &[Vec<GlobalId>]) -> SecondaryMap<ValueId, bool> {
        let mut dropped = SecondaryMap::new();
        let mut walk = Dfs::empty(&self.graph);
        walk.stack.extend(self.graph.node_indices().filter(|node| match self.graph[*node] {
            Some(Holder::Binding(func, binding)) => reached[func.index()].binary_search(&binding).is_err(),
            Some(Holder::Value(_)) | None => false,
        }));
        while let Some(node) = walk.next(&self.graph) {
            if let Some(Holder::Value(value)) = self.graph[node] {
                dropped.set(value, true);
            }
        }
        dropped
    }
}
