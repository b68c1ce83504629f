//! Functions and their calls: `inout` and `ref`, overloads, defaults, names in any order, scalar functions of vectors.

use super::Program;
use super::expressions::Use;
use super::scope::{Kind, Variable};
use super::statements::Around;
use super::types::{Scalar, Type, UINT};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Passing {
    Value {
        default: Option<String>,
    },
    Inout,
    Ref,
    /// Resources, and the thread's number, go under their own names.
    Named,
    /// A texture, or one of an array.
    Texture,
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    name: String,
    ty: Type,
    passing: Passing,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    parameters: Vec<Parameter>,
    result: Option<Type>,
}

impl Function {
    /// Whether a call may change what the caller sees.
    fn acts(&self) -> bool {
        self.parameters.iter().any(|parameter| matches!(parameter.passing, Passing::Inout | Passing::Named))
    }

    fn lifts(&self) -> bool {
        let scalar = |parameter: &Parameter| {
            matches!(parameter.ty, Type::Scalar(scalar) if scalar != Scalar::Uint64)
                && matches!(parameter.passing, Passing::Value { .. })
        };
        !self.parameters.is_empty() && self.parameters.iter().all(scalar)
    }
}

impl Program {
    pub(super) fn function(&mut self, resources: &[(Variable, String)]) {
        let overload = self.functions.iter().find(|function| function.lifts()).cloned();
        let named_so = |name: &str| self.functions.iter().filter(|function| function.name == name).count();
        let overload = overload.filter(|function| named_so(&function.name) == 1);
        let overload = overload.filter(|_| self.random.chance(15));
        let name = match &overload {
            Some(function) => function.name.clone(),
            None => self.names.item(&mut self.random),
        };
        let scalar_only = self.random.chance(35);
        let result = if scalar_only {
            Some(Type::Scalar(self.random.pick(&[Scalar::Float, Scalar::Uint, Scalar::Int, Scalar::Half])))
        } else if self.random.chance(75) {
            Some(self.some_type())
        } else {
            None
        };
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut spelled = Vec::new();
        self.scopes.enter();
        if overload.is_some() {
            // A struct is nothing that an argument of the other overload converts to.
            let ty = Type::Struct(0);
            let name = self.new_name();
            spelled.push(format!("{name}: {}", self.types.name(&ty)));
            self.scopes.declare(Variable { name: name.clone(), ty: ty.clone(), mutable: false, kind: Kind::Local });
            parameters.push(Parameter { name, ty, passing: Passing::Value { default: None } });
        }
        let mut defaults = false;
        for _ in 0..1 + self.random.below(3) {
            let name = self.new_name();
            let kind = self.random.below(10);
            let ty = if scalar_only { result.clone().unwrap_or(UINT) } else { self.some_type() };
            let passing = match kind {
                _ if scalar_only => Passing::Value { default: None },
                0..=2 if !defaults => Passing::Inout,
                3 if !defaults => Passing::Ref,
                _ => {
                    defaults |= self.random.chance(25);
                    let default = defaults.then(|| self.constant(&ty));
                    Passing::Value { default }
                }
            };
            let type_name = self.types.name(&ty);
            spelled.push(match &passing {
                Passing::Value { default: None } => format!("{name}: {type_name}"),
                Passing::Value { default: Some(default) } => format!("{name}: {type_name} = {default}"),
                Passing::Inout => format!("{name}: inout {type_name}"),
                Passing::Ref => format!("{name}: ref {type_name}"),
                Passing::Named | Passing::Texture => name.clone(),
            });
            let mutable = passing == Passing::Inout;
            self.scopes.declare(Variable { name: name.clone(), ty: ty.clone(), mutable, kind: Kind::Local });
            parameters.push(Parameter { name, ty, passing });
        }
        if !scalar_only && !defaults && self.random.chance(20) {
            let name = "counts".to_owned();
            spelled.push(format!("{name}: AtomicBuf<uint>"));
            self.scopes.declare(Variable { name: name.clone(), ty: UINT, mutable: false, kind: Kind::Reserved });
            parameters.push(Parameter { name, ty: UINT, passing: Passing::Named });
        }
        if !scalar_only && !defaults && self.random.chance(25) {
            let name = self.new_name();
            spelled.push(format!("{name}: Tex2D<uint>"));
            self.scopes.declare(Variable { name: name.clone(), ty: UINT, mutable: false, kind: Kind::Texture });
            parameters.push(Parameter { name, ty: UINT, passing: Passing::Texture });
        }
        if !scalar_only && !defaults && self.random.chance(50) {
            let (resource, ty) = &resources[self.random.below(resources.len())];
            spelled.push(format!("{}: {ty}", resource.name));
            self.scopes.declare(resource.clone());
            parameters.push(Parameter {
                name: resource.name.clone(),
                ty: resource.ty.clone(),
                passing: Passing::Named,
            });
            if resource.kind == Kind::Own {
                spelled.push("id: uint".to_owned());
                self.scopes.declare(Variable { name: "id".to_owned(), ty: UINT, mutable: false, kind: Kind::Local });
                parameters.push(Parameter { name: "id".to_owned(), ty: UINT, passing: Passing::Named });
            }
        }
        let arrow = result.as_ref().map_or(String::new(), |ty| format!(" -> {}", self.types.name(ty)));
        self.line(format!("fn {name}({}){arrow} {{", spelled.join(", ")));
        self.budget = 8;
        let around = Around { returns: Some(result.clone()), ..Around::default() };
        self.scopes.enter();
        self.indent += 1;
        for _ in 0..1 + self.random.below(5) {
            self.statement(&around);
        }
        if let Some(ty) = &result {
            self.nodes = 0;
            let value = self.expression(ty, 3);
            self.line(format!("return {value};"));
        }
        self.indent -= 1;
        self.scopes.leave();
        self.scopes.leave();
        self.line("}");
        self.line("");
        self.functions.push(Function { name, parameters, result });
    }

    /// A function that can be called here.
    fn callable(&mut self, fits: impl Fn(&Function) -> bool) -> Option<Function> {
        let visible: Vec<_> = self.scopes.visible().iter().map(|variable| variable.name.clone()).collect();
        let pure = self.pure > 0;
        let is_texture = |variable: &&Variable| matches!(variable.kind, Kind::Texture | Kind::Textures(_));
        let has_texture = self.scopes.visible().iter().any(is_texture);
        let fitting: Vec<_> = self
            .functions
            .iter()
            .filter(|function| {
                let given = |parameter: &Parameter| match parameter.passing {
                    Passing::Named => visible.contains(&parameter.name),
                    Passing::Texture => has_texture,
                    Passing::Value { .. } | Passing::Inout | Passing::Ref => true,
                };
                fits(function) && !(pure && function.acts()) && function.parameters.iter().all(given)
            })
            .cloned()
            .collect();
        fitting.get(self.random.below(fitting.len())).cloned()
    }

    pub(super) fn call(&mut self, ty: &Type, depth: usize) -> Option<String> {
        let function = self.callable(|function| function.result.as_ref() == Some(ty))?;
        self.arguments(&function, depth)
    }

    pub(super) fn call_statement(&mut self) {
        self.nodes = 0;
        let call = self.callable(|_| true).and_then(|function| {
            let call = self.arguments(&function, 2)?;
            Some(if function.result.is_some() { format!("let _ = {call};") } else { format!("{call};") })
        });
        match call {
            Some(call) => self.line(call),
            None => self.effect(),
        }
    }

    fn arguments(&mut self, function: &Function, depth: usize) -> Option<String> {
        // Beside a borrow, arguments only read.
        let acts = function.acts();
        self.pure += usize::from(acts);
        let call = self.arguments_now(function, depth);
        self.pure -= usize::from(acts);
        call
    }

    fn arguments_now(&mut self, function: &Function, depth: usize) -> Option<String> {
        let mut borrowed: Vec<String> = Vec::new();
        let mut arguments = Vec::new();
        for parameter in &function.parameters {
            let argument = match &parameter.passing {
                Passing::Named => parameter.name.clone(),
                Passing::Texture => self.some_texture(depth)?,
                Passing::Inout | Passing::Ref => {
                    let place = self.place_outside(&parameter.ty, Use::Borrow, 0, &borrowed)?;
                    // A thread's own element is called as what it is.
                    let root = place.split(['.', '[']).next().unwrap_or_default();
                    borrowed.extend([root.to_owned(), format!("{root}[lane]")]);
                    place
                }
                Passing::Value { default } => {
                    if default.is_some() && self.random.chance(50) {
                        continue;
                    }
                    self.expression(&parameter.ty, depth)
                }
            };
            arguments.push((parameter.name.clone(), argument));
        }
        // Which parameters a positional argument fills is known as long as none before it is left out.
        let in_order =
            arguments.iter().zip(&function.parameters).take_while(|((name, _), parameter)| *name == parameter.name);
        let positional = in_order.count();
        let positional = if self.random.chance(30) { self.random.below(positional + 1) } else { positional };
        let mut named = arguments.split_off(positional);
        for index in (1..named.len()).rev() {
            let other = self.random.below(index + 1);
            named.swap(index, other);
        }
        let arguments = arguments.into_iter().map(|(_, argument)| argument);
        let named = named.into_iter().map(|(name, argument)| format!("{name}: {argument}"));
        Some(format!("{}({})", function.name, arguments.chain(named).collect::<Vec<_>>().join(", ")))
    }

    /// A texture that is visible here.
    pub(super) fn some_texture(&mut self, depth: usize) -> Option<String> {
        let is_texture = |variable: &Variable| matches!(variable.kind, Kind::Texture | Kind::Textures(_));
        let variable = self.scopes.variable(&mut self.random, is_texture)?;
        Some(self.texture(&variable, depth))
    }

    /// A scalar function called with vectors.
    pub(super) fn lifted(&mut self, scalar: Scalar, width: usize, depth: usize) -> Option<String> {
        let scalar = Type::Scalar(scalar);
        let function = self.callable(|function| function.result.as_ref() == Some(&scalar) && function.lifts())?;
        let mut arguments = Vec::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let Type::Scalar(part) = parameter.ty else { return None };
            let wide = index == 0 || self.random.chance(60);
            let ty = if wide { Type::Vector(part, width) } else { parameter.ty.clone() };
            arguments.push(self.expression(&ty, depth));
        }
        Some(format!("{}({})", function.name, arguments.join(", ")))
    }
}
