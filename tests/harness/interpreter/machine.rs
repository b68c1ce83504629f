//! Lanes, frames, and structured control flow under a mask.

use std::collections::HashMap;

use akari_dialect::{AkariOp, LoopTest};
use akari_dialect_gpu_abi::layout::Layouts;
use akari_ir::{FuncId, GlobalId, Module, OpId, RegionId, ValueId};

use super::bindless::Tables;
use super::races::Races;
use super::value::Value;
use crate::job::{Contents, Job};

/// Which lanes are active.
pub(super) type Mask = Vec<bool>;

/// How many operations a run may take, all lanes together counting once.
const STEP_LIMIT: u64 = 20_000_000;

/// One invocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane {
    /// Its variables, of all open calls.
    pub(super) locals: Vec<Value>,
    /// A helper: what it writes has no effect.
    pub(super) demoted: bool,
}

/// A groupshared variable of the current group.
pub(super) struct WorkgroupVariable {
    pub(super) global: GlobalId,
    /// The arguments of compile time of the function that it stands in, and the lengths that its type leaves open.
    pub(super) instance: Vec<u64>,
    pub(super) value: Value,
}

/// The state of a run.
pub(super) struct Machine<'m> {
    pub(super) module: &'m Module,
    pub(super) job: &'m Job,
    pub(super) layouts: Layouts,
    pub(super) resources: Vec<Contents>,
    /// Where the elements of bindless tables stand among the resources, after those of the job.
    pub(super) tables: Tables,
    /// The groupshared variables that the group has used.
    pub(super) workgroup: Vec<WorkgroupVariable>,
    /// Threads a group.
    pub(super) threads: [u32; 3],
    pub(super) races: Races,
    pub(super) lanes: Vec<Lane>,
    /// Whether lanes form quads of a fragment stage.
    pub(super) quads: bool,
    steps: u64,
}

/// A call.
pub(super) struct Frame {
    pub(super) func: FuncId,
    pub(super) values: HashMap<ValueId, Vec<Value>>,
    result: Vec<Value>,
    /// The lanes that left the nearest loop or switch, for each open one.
    broken: Vec<Mask>,
    /// The lanes that left the body of the nearest loop, for each open one.
    continued: Vec<Mask>,
}

pub(super) fn any(mask: &Mask) -> bool {
    mask.iter().any(|active| *active)
}

fn and(a: &Mask, b: impl Fn(usize) -> bool) -> Mask {
    a.iter().enumerate().map(|(lane, active)| *active && b(lane)).collect()
}

fn merge(into: &mut Mask, from: &Mask) {
    for (lane, active) in from.iter().enumerate() {
        into[lane] |= active;
    }
}

impl<'m> Machine<'m> {
    pub(super) fn new(module: &'m Module, job: &'m Job) -> Self {
        let mut resources = job.resources.iter().map(|resource| resource.contents.clone()).collect();
        let tables = Tables::open(&mut resources);
        Self {
            module,
            job,
            layouts: Layouts::new(),
            resources,
            tables,
            workgroup: Vec::new(),
            threads: [1; 3],
            races: Races::default(),
            lanes: Vec::new(),
            quads: false,
            steps: 0,
        }
    }

    /// Fresh lanes and groupshared memory.
    pub(super) fn start(&mut self, lanes: usize) {
        self.lanes = vec![Lane::default(); lanes];
        self.workgroup.clear();
        self.races.clear();
    }

    /// Calls a function on the active lanes; gives the result of each.
    pub(super) fn call(&mut self, func: FuncId, arguments: &[Vec<Value>], mask: &Mask) -> Result<Vec<Value>, String> {
        let module = self.module;
        let function = &module.functions[func];
        if function.params.len() != arguments.len() {
            return Err(format!("`{}` is called with {} arguments", module.text(function.name), arguments.len()));
        }
        let mut frame = Frame {
            func,
            values: HashMap::new(),
            result: vec![Value::Undefined; self.lanes.len()],
            broken: Vec::new(),
            continued: Vec::new(),
        };
        for (param, argument) in function.params.iter().zip(arguments) {
            frame.values.insert(param.value, argument.clone());
        }
        let locals: Vec<usize> = self.lanes.iter().map(|lane| lane.locals.len()).collect();
        self.region(&mut frame, function.body, mask)?;
        for (lane, count) in self.lanes.iter_mut().zip(locals) {
            lane.locals.truncate(count);
        }
        Ok(frame.result)
    }

    /// Runs a region; gives the lanes that come to its end.
    fn region(&mut self, frame: &mut Frame, region: RegionId, mask: &Mask) -> Result<Mask, String> {
        let mut mask = mask.clone();
        for op in &self.module.region(region).ops {
            if !any(&mask) {
                break;
            }
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return Err(format!("the program does not end within {STEP_LIMIT} operations"));
            }
            mask = self.op(frame, *op, &mask)?;
        }
        Ok(mask)
    }

    /// Runs a region that ends in a `yield`; gives what it yields.
    fn yielding(&mut self, frame: &mut Frame, region: RegionId, mask: &Mask) -> Result<Vec<Value>, String> {
        self.region(frame, region, mask)?;
        let last = self.module.region(region).ops.last().ok_or("an empty region yields nothing")?;
        let value = self.module.op(*last).operands[0];
        if any(mask) { Ok(frame.values[&value].clone()) } else { Ok(vec![Value::Undefined; self.lanes.len()]) }
    }

    /// Gives a value to the active lanes.
    pub(super) fn define(&self, frame: &mut Frame, value: ValueId, mask: &Mask, of: impl Fn(usize) -> Value) {
        let lanes = self.lanes.len();
        let entry = frame.values.entry(value).or_insert_with(|| vec![Value::Undefined; lanes]);
        for (lane, active) in mask.iter().enumerate() {
            if *active {
                entry[lane] = of(lane);
            }
        }
    }

    fn op(&mut self, frame: &mut Frame, id: OpId, mask: &Mask) -> Result<Mask, String> {
        let op = self.module.op(id);
        let kind = AkariOp::of(op).ok_or_else(|| format!("{:?} is not of the akari dialect", op.def))?;
        let truth = |frame: &Frame, lane: usize| frame.values[&op.operands[0]][lane].is_true();
        match kind {
            AkariOp::AndThen | AkariOp::OrElse => {
                let on = kind == AkariOp::AndThen;
                let inner = and(mask, |lane| truth(frame, lane) == on);
                let rhs = self.yielding(frame, op.regions[0], &inner)?;
                if let Some(result) = op.result {
                    let values: Vec<Value> = (0..self.lanes.len())
                        .map(|lane| if inner[lane] { rhs[lane].clone() } else { Value::bool(!on) })
                        .collect();
                    self.define(frame, result, mask, |lane| values[lane].clone());
                }
                Ok(mask.clone())
            }
            AkariOp::Cond => {
                let yes = and(mask, |lane| truth(frame, lane));
                let no = and(mask, |lane| !yes[lane]);
                let then = self.yielding(frame, op.regions[0], &yes)?;
                let otherwise = self.yielding(frame, op.regions[1], &no)?;
                if let Some(result) = op.result {
                    self.define(frame, result, mask, |lane| {
                        if yes[lane] { then[lane].clone() } else { otherwise[lane].clone() }
                    });
                }
                Ok(mask.clone())
            }
            AkariOp::If => {
                let yes = and(mask, |lane| truth(frame, lane));
                let no = and(mask, |lane| !yes[lane]);
                let mut end = self.region(frame, op.regions[0], &yes)?;
                merge(&mut end, &self.region(frame, op.regions[1], &no)?);
                Ok(end)
            }
            AkariOp::Loop => self.repeat(frame, id, mask),
            AkariOp::Switch | AkariOp::OpenSwitch => self.switch(frame, id, kind, mask),
            AkariOp::Break => {
                merge(frame.broken.last_mut().ok_or("break outside")?, mask);
                Ok(vec![false; mask.len()])
            }
            AkariOp::Continue => {
                merge(frame.continued.last_mut().ok_or("continue outside")?, mask);
                Ok(vec![false; mask.len()])
            }
            AkariOp::Return => {
                if let Some(value) = op.operands.first() {
                    let values = frame.values[value].clone();
                    for (lane, _) in mask.iter().enumerate().filter(|(_, active)| **active) {
                        frame.result[lane] = values[lane].clone();
                    }
                }
                Ok(vec![false; mask.len()])
            }
            AkariOp::Discard => {
                for (lane, _) in mask.iter().enumerate().filter(|(_, active)| **active) {
                    self.lanes[lane].demoted = true;
                }
                Ok(mask.clone())
            }
            AkariOp::Call => {
                let arguments: Vec<Vec<Value>> = op.operands.iter().map(|value| frame.values[value].clone()).collect();
                let results = self.call(op.func(0), &arguments, mask)?;
                if let Some(result) = op.result {
                    self.define(frame, result, mask, |lane| results[lane].clone());
                }
                Ok(mask.clone())
            }
            AkariOp::CallValue => {
                let values = op.operands.iter().map(|value| frame.values[value].clone()).collect();
                let results = self.call_value(values, mask)?;
                if let Some(result) = op.result {
                    self.define(frame, result, mask, |lane| results[lane].clone());
                }
                Ok(mask.clone())
            }
            AkariOp::Instance => {
                frame.result = self.instance(frame, id, mask)?;
                Ok(vec![false; mask.len()])
            }
            AkariOp::Yield => Ok(mask.clone()),
            _ => {
                self.plain(frame, id, kind, mask)?;
                Ok(mask.clone())
            }
        }
    }

    fn repeat(&mut self, frame: &mut Frame, id: OpId, mask: &Mask) -> Result<Mask, String> {
        let op = self.module.op(id);
        let lanes = mask.len();
        let [test, body, step] = op.regions[..] else { return Err("a loop has three regions".into()) };
        let after = LoopTest::from_index(op.enumerated(0)) == LoopTest::After;
        let mut live = mask.clone();
        let mut end = vec![false; lanes];
        let mut first = true;
        frame.broken.push(vec![false; lanes]);
        frame.continued.push(vec![false; lanes]);
        while any(&live) {
            if !(after && first) {
                let goes_on = self.yielding(frame, test, &live)?;
                merge(&mut end, &and(&live, |lane| !goes_on[lane].is_true()));
                live = and(&live, |lane| goes_on[lane].is_true());
                if !any(&live) {
                    break;
                }
            }
            first = false;
            let mut next = self.region(frame, body, &live)?;
            let continued = std::mem::replace(frame.continued.last_mut().ok_or("no loop")?, vec![false; lanes]);
            merge(&mut next, &continued);
            live = self.region(frame, step, &next)?;
        }
        frame.continued.pop();
        merge(&mut end, &frame.broken.pop().ok_or("no loop")?);
        Ok(end)
    }

    /// Calls the function value that comes first with the arguments after it. It is the same function in all lanes, since it is
    /// known when the program is compiled; what it captured is each lane's own.
    fn call_value(&mut self, mut values: Vec<Vec<Value>>, mask: &Mask) -> Result<Vec<Value>, String> {
        let functions = values.remove(0);
        let mut callee = None;
        let mut captures: Vec<Vec<Value>> = Vec::new();
        for lane in (0..mask.len()).filter(|lane| mask[*lane]) {
            let Value::Function(function) = &functions[lane] else {
                return Err("what is called is no function".into());
            };
            if *callee.get_or_insert(function.callee) != function.callee {
                return Err("lanes call different functions".into());
            }
            captures.resize(function.captures.len(), vec![Value::Undefined; mask.len()]);
            for (capture, value) in captures.iter_mut().zip(&function.captures) {
                capture[lane] = value.clone();
            }
        }
        values.extend(captures);
        self.call(callee.ok_or("no lane calls")?, &values, mask)
    }

    /// Runs the body of a template in place of that of its instance, which only says what the parameters of compile time are.
    fn instance(&mut self, frame: &Frame, id: OpId, mask: &Mask) -> Result<Vec<Value>, String> {
        let module = self.module;
        let (op, params) = (module.op(id), &module.functions[frame.func].params);
        let (template, fixed) = (op.func(0), op.ints(1));
        let mut own = params.iter().map(|param| frame.values[&param.value].clone());
        let arguments: Vec<Vec<Value>> = (0i64..)
            .zip(&module.functions[template].params)
            .map(|(number, _)| match fixed.iter().position(|param| *param == number) {
                Some(position) => Ok(frame.values[&op.operands[position]].clone()),
                None => own.next().ok_or("an instance has fewer parameters than its template asks for"),
            })
            .collect::<Result<_, _>>()?;
        self.call(template, &arguments, mask)
    }

    fn switch(&mut self, frame: &mut Frame, id: OpId, kind: AkariOp, mask: &Mask) -> Result<Mask, String> {
        let op = self.module.op(id);
        let signed = self.module.value_kind(op.operands[0]).scalar() == Some(akari_ir::Scalar::I32);
        let selectors = frame.values[&op.operands[0]].clone();
        let case_of = |lane: usize| {
            let bits = selectors[lane].bits();
            if kind == AkariOp::OpenSwitch {
                let mut labels = op.operands[1..].iter().map(|label| frame.values[label][lane].bits());
                return labels.position(|label| label == bits).map_or(op.int(1), |position| op.ints(0)[position]);
            }
            let selector = if signed { i64::from(bits as u32 as i32) } else { bits as i64 };
            op.ints(0).chunks(2).find(|pair| pair[0] == selector).map_or(op.int(1), |pair| pair[1])
        };
        let cases: Vec<i64> = (0..mask.len()).map(case_of).collect();
        frame.broken.push(vec![false; mask.len()]);
        let mut end = and(mask, |lane| cases[lane] < 0);
        for (index, region) in op.regions.iter().enumerate() {
            let inner = and(mask, |lane| cases[lane] == index as i64);
            merge(&mut end, &self.region(frame, *region, &inner)?);
        }
        merge(&mut end, &frame.broken.pop().ok_or("no switch")?);
        Ok(end)
    }
}
