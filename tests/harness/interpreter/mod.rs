//! The reference interpreter: runs the `akari` IR as lowered from source, with all in it that exists at compile time only: `const`
//! parameters are arguments as any other, function values are values, lengths are computed where they are needed. It is written
//! to be read: clear and slow, and it shares nothing with the passes.
//!
//! All invocations of a thread group (or all quads of a draw) run in lockstep, one operation after the other, under a mask of
//! the active ones. Control flow narrows the mask and joins where the structured operation ends. A barrier thus has nothing to
//! do; wave operations see the active lanes of their wave, derivatives the lanes of their quad.

mod arithmetic;
mod bindless;
mod builtin;
mod computation;
mod lod;
mod machine;
mod memory;
mod open;
mod operation;
mod races;
mod raster;
mod rays;
#[cfg(test)]
mod tests;
mod texture;
mod value;

use akari_ir::interface::{BindingSource, ParamRole, SystemValue};
use akari_ir::{FuncId, Module, Scalar, TypeKind};

use crate::job::{Job, Outcome, Work};
use machine::Machine;
use value::Value;

/// Lanes in a wave; that of the other ways.
const WAVE: usize = 8;

/// Runs a job on a module.
///
/// # Errors
/// When the job does not fit the module, or the program runs too long.
pub fn run(module: &Module, job: &Job) -> Result<Outcome, String> {
    let module = &with_part_types(module);
    let mut machine = Machine::new(module, job);
    let targets = match &job.work {
        Work::Compute { entry, groups, threads } => {
            let func = find(module, entry)?;
            compute(&mut machine, func, *groups, *threads)?;
            Vec::new()
        }
        Work::Draw { vertex, fragment, vertices, instances, size, targets } => {
            let draw = raster::Draw {
                vertex: find(module, vertex)?,
                fragment: find(module, fragment)?,
                vertices: *vertices,
                instances: *instances,
                size: *size,
                targets,
            };
            draw.run(&mut machine)?
        }
    };
    machine.races.verdict()?;
    let resources = machine.resources[..job.resources.len()].iter().map(|contents| contents.bytes().to_vec()).collect();
    Ok(Outcome { resources, targets })
}

/// The module with the types of the parts of its vectors and matrices, which it need not name itself: composites in memory
/// are read and written part by part.
fn with_part_types(module: &Module) -> Module {
    let mut module = module.clone();
    for scalar in [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32, Scalar::F16, Scalar::U64] {
        module.types.intern(TypeKind::Scalar(scalar));
    }
    for rows in 2..=4 {
        module.types.intern(TypeKind::Vector(Scalar::F32, rows));
    }
    module
}

fn find(module: &Module, name: &str) -> Result<FuncId, String> {
    let found = module.functions.iter().find(|(id, function)| {
        function.entry.is_some() && module.text(function.name) == name && !module.is_template(*id)
    });
    found.map(|(id, _)| id).ok_or_else(|| format!("the module has no entry `{name}`"))
}

fn compute(machine: &mut Machine<'_>, func: FuncId, groups: [u32; 3], threads: [u32; 3]) -> Result<(), String> {
    let local_ids: Vec<[u32; 3]> = (0..threads[2])
        .flat_map(|z| (0..threads[1]).flat_map(move |y| (0..threads[0]).map(move |x| [x, y, z])))
        .collect();
    machine.threads = threads;
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                machine.start(local_ids.len());
                let group = [x, y, z];
                let arguments = arguments(machine, func, |lane, system| {
                    let local = local_ids[lane];
                    let global: Vec<u32> = (0..3).map(|axis| group[axis] * threads[axis] + local[axis]).collect();
                    match system {
                        SystemValue::DispatchId => vec![global[0], global[1], global[2]],
                        SystemValue::GroupId => group.to_vec(),
                        SystemValue::LocalId => local.to_vec(),
                        SystemValue::LocalIndex => vec![lane as u32],
                        SystemValue::VertexId | SystemValue::InstanceId | SystemValue::FrontFacing => vec![0],
                    }
                })?;
                let mask = vec![true; local_ids.len()];
                machine.call(func, &arguments, &mask)?;
            }
        }
    }
    Ok(())
}

/// The arguments of an entry: resources from the job, system values as `system` gives them (the first components where the
/// parameter is narrower), nothing for `stage_in`.
fn arguments(
    machine: &mut Machine<'_>,
    func: FuncId,
    system: impl Fn(usize, SystemValue) -> Vec<u32>,
) -> Result<Vec<Vec<Value>>, String> {
    let module = machine.module;
    let lanes = machine.lanes.len();
    module.functions[func]
        .params
        .iter()
        .map(|param| match param.role {
            ParamRole::Const(_) | ParamRole::Optional => Err("an entry has a parameter of compile time".to_owned()),
            ParamRole::Plain | ParamRole::StageIn => Ok(vec![Value::Undefined; lanes]),
            ParamRole::System(value) => {
                let width = usize::from(module.value_kind(param.value).width().unwrap_or(1));
                Ok((0..lanes)
                    .map(|lane| {
                        let parts: Vec<u64> = system(lane, value).iter().map(|part| u64::from(*part)).collect();
                        Value::vector(&parts[..width.min(parts.len())])
                    })
                    .collect())
            }
            ParamRole::Resource(source) => Ok(vec![resource(machine, &source)?; lanes]),
        })
        .collect()
}

fn bound(machine: &Machine<'_>, name: &str) -> Result<Value, String> {
    let find = |name: &str| machine.job.resources.iter().position(|resource| resource.name == name);
    if let Some(index) = find(name) {
        return Ok(Value::Resource(index));
    }
    let elements: Vec<Value> =
        (0..).map_while(|element: u32| find(&format!("{name}[{element}]"))).map(Value::Resource).collect();
    if elements.is_empty() { Err(format!("the job has no resource `{name}`")) } else { Ok(Value::composite(elements)) }
}

fn resource(machine: &Machine<'_>, source: &BindingSource) -> Result<Value, String> {
    match source {
        BindingSource::Named { group, name } => {
            bound(machine, &format!("{}.{}", machine.module.text(*group), machine.module.text(*name)))
        }
        BindingSource::Slot(number) => bound(machine, &format!("slot{number}")),
        BindingSource::Sampler(state) => Ok(Value::Sampler(*state)),
    }
}
