//! Acceleration structures: one for the triangles of each instance, and one of all instances.

#![allow(unsafe_code, reason = "Vulkan is a C interface")]

use ash::vk;

use super::device::during;
use super::execute::{begin, everything_before, finish};
use super::resources::{Buffer, Handle, Scratch};
use crate::scene::{Geometry, Instance, Scene};

/// No device wants more of the memory that a build works in.
const SCRATCH_ALIGNMENT: u64 = 256;

/// Makes the acceleration structure of a scene, and waits until it is built.
pub(super) fn acceleration_structure(
    scratch: &Scratch<'_>,
    scene: &Scene,
) -> Result<vk::AccelerationStructureKHR, String> {
    let mut instances = Vec::new();
    for instance in &scene.instances {
        let bottom = geometries(scratch, instance)?;
        let of = vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(bottom);
        // SAFETY: the device and the structure are alive.
        let address = unsafe { scratch.device.ray_tracing()?.get_acceleration_structure_device_address(&of) };
        // As `VkAccelerationStructureInstanceKHR` lies in memory: the transform, then four bit fields, then the address.
        let rows = instance.transform.as_flattened().iter().flat_map(|number| number.to_le_bytes());
        instances.extend(rows);
        instances.extend((instance.id & 0x00ff_ffff | instance.mask << 24).to_le_bytes());
        let flags = match instance.forced {
            None => vk::GeometryInstanceFlagsKHR::empty(),
            Some(true) => vk::GeometryInstanceFlagsKHR::FORCE_OPAQUE,
            Some(false) => vk::GeometryInstanceFlagsKHR::FORCE_NO_OPAQUE,
        };
        instances.extend((flags.as_raw() << 24).to_le_bytes());
        instances.extend(address.to_le_bytes());
    }
    let data = vk::AccelerationStructureGeometryInstancesDataKHR::default().data(input(scratch, &instances)?);
    let geometry = vk::AccelerationStructureGeometryKHR::default()
        .geometry_type(vk::GeometryTypeKHR::INSTANCES)
        .geometry(vk::AccelerationStructureGeometryDataKHR { instances: data });
    build(scratch, vk::AccelerationStructureTypeKHR::TOP_LEVEL, &[geometry], &[scene.instances.len() as u32])
}

fn geometries(scratch: &Scratch<'_>, instance: &Instance) -> Result<vk::AccelerationStructureKHR, String> {
    let geometries: Result<Vec<_>, String> =
        instance.geometries.iter().map(|geometry| triangles(scratch, geometry)).collect();
    let counts: Vec<u32> = instance.geometries.iter().map(|geometry| geometry.triangles.len() as u32).collect();
    build(scratch, vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL, &geometries?, &counts)
}

fn triangles<'s>(
    scratch: &Scratch<'_>,
    geometry: &Geometry,
) -> Result<vk::AccelerationStructureGeometryKHR<'s>, String> {
    let vertices: Vec<u8> =
        geometry.triangles.as_flattened().as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect();
    let count = geometry.triangles.len() as u32;
    let data = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
        .vertex_format(vk::Format::R32G32B32_SFLOAT)
        .vertex_data(input(scratch, &vertices)?)
        .vertex_stride(12)
        .max_vertex(3 * count - 1)
        .index_type(vk::IndexType::NONE_KHR);
    let flags = if geometry.opaque { vk::GeometryFlagsKHR::OPAQUE } else { vk::GeometryFlagsKHR::empty() };
    Ok(vk::AccelerationStructureGeometryKHR::default()
        .geometry_type(vk::GeometryTypeKHR::TRIANGLES)
        .flags(flags)
        .geometry(vk::AccelerationStructureGeometryDataKHR { triangles: data }))
}

fn address(scratch: &Scratch<'_>, buffer: Buffer) -> u64 {
    let of = vk::BufferDeviceAddressInfo::default().buffer(buffer.raw);
    // SAFETY: the device and the buffer are alive.
    unsafe { scratch.device.raw.get_buffer_device_address(&of) }
}

/// A buffer that a build reads.
fn input(scratch: &Scratch<'_>, contents: &[u8]) -> Result<vk::DeviceOrHostAddressConstKHR, String> {
    let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let buffer = scratch.buffer(contents, usage)?;
    Ok(vk::DeviceOrHostAddressConstKHR { device_address: address(scratch, buffer) })
}

fn build(
    scratch: &Scratch<'_>,
    kind: vk::AccelerationStructureTypeKHR,
    geometries: &[vk::AccelerationStructureGeometryKHR<'_>],
    counts: &[u32],
) -> Result<vk::AccelerationStructureKHR, String> {
    let api = scratch.device.ray_tracing()?;
    let info = vk::AccelerationStructureBuildGeometryInfoKHR::default()
        .ty(kind)
        .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
        .geometries(geometries);
    let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
    // SAFETY: the device and all that `info` points to are alive, here and in every call below.
    unsafe {
        api.get_acceleration_structure_build_sizes(
            vk::AccelerationStructureBuildTypeKHR::DEVICE,
            &info,
            counts,
            &mut sizes,
        );
    }
    let zeros = |size: u64| vec![0; size as usize];
    let storage = scratch.buffer(
        &zeros(sizes.acceleration_structure_size),
        vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
    )?;
    let create = vk::AccelerationStructureCreateInfoKHR::default()
        .buffer(storage.raw)
        .size(sizes.acceleration_structure_size)
        .ty(kind);
    // SAFETY: as above.
    let structure =
        during("vkCreateAccelerationStructureKHR", unsafe { api.create_acceleration_structure(&create, None) })?;
    scratch.own(Handle::AccelerationStructure(structure));
    let work = scratch.buffer(
        &zeros(sizes.build_scratch_size + SCRATCH_ALIGNMENT),
        vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
    )?;
    let work = address(scratch, work).next_multiple_of(SCRATCH_ALIGNMENT);
    let info =
        info.dst_acceleration_structure(structure).scratch_data(vk::DeviceOrHostAddressKHR { device_address: work });
    let ranges: Vec<_> = counts
        .iter()
        .map(|count| vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(*count))
        .collect();
    let commands = begin(scratch)?;
    // SAFETY: as above; the command buffer is being recorded.
    unsafe { api.cmd_build_acceleration_structures(commands, &[info], &[&ranges]) };
    everything_before(scratch, commands);
    finish(scratch, commands)?;
    Ok(structure)
}
