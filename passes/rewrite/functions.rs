//! Functions that passes add, and calls of them.

use akari_dialect::AkariOp;
use akari_ir::entity::Type;
use akari_ir::interface::{FieldRole, ParamRole, PassMode};
use akari_ir::module::Function;
use akari_ir::{FuncId, ValueId};

use super::Rewriter;

/// A parameter of a function that a pass adds.
#[derive(Clone, Copy, Debug)]
pub struct NewParam {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// How its argument is passed.
    pub mode: PassMode,
}

impl NewParam {
    /// A parameter passed by value.
    #[must_use]
    pub fn value(name: &'static str, ty: Type) -> Self {
        Self { name, ty, mode: PassMode::Value }
    }
}

impl Rewriter<'_> {
    /// Adds a function. `build` is given its parameters and gives its result. It stands nowhere in the source.
    pub fn add_function(
        &mut self,
        name: &str,
        params: &[NewParam],
        result: Option<Type>,
        build: impl FnOnce(&mut Self, &[ValueId]) -> Option<ValueId>,
    ) -> FuncId {
        let name = self.module.symbols.intern(name);
        let body = self.module.new_region();
        let func = self.module.functions.alloc(Function {
            name,
            doc: None,
            params: Vec::new(),
            result,
            result_role: FieldRole::Plain,
            entry: None,
            is_closure: false,
            requested: None,
            body,
            loc: None,
        });
        let values: Vec<ValueId> = params
            .iter()
            .map(|param| {
                let name = self.module.symbols.intern(param.name);
                self.module.add_param(func, Some(name), param.ty, param.mode, ParamRole::Plain)
            })
            .collect();
        let loc = self.loc.take();
        self.fill(body, |rewriter| {
            if let Some(value) = build(rewriter, &values) {
                rewriter.op(AkariOp::Return.def(), &[value], &[], &[], None);
            }
        });
        self.loc = loc;
        func
    }

    /// Calls the helper function `name`, made by `build` when it is first needed with arguments of these types: from its
    /// parameters `build` makes its result.
    pub fn helper(
        &mut self,
        name: &str,
        params: &[&'static str],
        arguments: &[ValueId],
        result: Type,
        build: impl FnOnce(&mut Self, &[ValueId]) -> ValueId,
    ) -> ValueId {
        self.helper_with_key(name.to_owned(), name, params, arguments, result, build)
    }

    /// As [`Self::helper`], for functions that differ in more than their name and the types of their parameters.
    ///
    /// # Panics
    /// Never: a helper has a result.
    pub fn helper_with_key(
        &mut self,
        key: String,
        name: &str,
        params: &[&'static str],
        arguments: &[ValueId],
        result: Type,
        build: impl FnOnce(&mut Self, &[ValueId]) -> ValueId,
    ) -> ValueId {
        let key = (key, arguments.iter().map(|argument| self.type_of(*argument)).collect::<Vec<_>>());
        let function = match self.helpers.get(&key) {
            Some(function) => *function,
            None => {
                let params: Vec<_> = params.iter().zip(&key.1).map(|(name, ty)| NewParam::value(name, *ty)).collect();
                let function = self.add_function(name, &params, Some(result), |r, params| Some(build(r, params)));
                self.helpers.insert(key, function);
                function
            }
        };
        self.call(function, arguments).expect("a helper has a result")
    }

    /// Calls a function, and gives its result if it has one.
    pub fn call(&mut self, func: FuncId, arguments: &[ValueId]) -> Option<ValueId> {
        let result = self.module.functions[func].result;
        let op = self.op(AkariOp::Call.def(), arguments, &[akari_ir::Attr::Func(func)], &[], result);
        self.module.op(op).result
    }
}
