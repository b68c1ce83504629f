//! One job from its upload to its outcome.

#![allow(unsafe_code, reason = "Vulkan is a C interface")]

use ash::vk;

use super::Module;
use super::device::{Device, during};
use super::pipeline::{Binding, Bound, Descriptors, Draw, compute_pipeline, draw_pipeline, render_pass};
use super::resources::{Buffer, Handle, Picture, Scratch, aspect, format, regions};
use super::scene::acceleration_structure;
use crate::job::{BindlessKind, Contents, Image, Job, Outcome, Slot, TextureShape, Work};
use crate::texel::TexelFormat;

/// Runs `job`. Anything that the validation layer says about it makes it fail.
pub(super) fn execute(device: &Device, modules: &[Module], job: &Job) -> Result<Outcome, String> {
    device.take_complaints();
    let outcome = run(&Scratch::new(device), modules, job);
    let complaints = device.take_complaints();
    match outcome {
        Ok(outcome) if complaints.is_empty() => Ok(outcome),
        Ok(_) => Err(complaints.join("\n")),
        Err(error) => Err(complaints.into_iter().chain([error]).collect::<Vec<_>>().join("\n")),
    }
}

/// A resource of the job on the device.
enum Placed {
    Buffer(Buffer),
    /// A texture that no shader writes: its texels after the run are those before.
    Texture {
        upload: Transfer,
    },
    StorageTexture {
        upload: Transfer,
        download: Transfer,
    },
    /// A scene, which no shader writes.
    Scene,
    /// A bindless table, whose elements no shader writes.
    Table {
        uploads: Vec<Transfer>,
    },
}

/// An image and a buffer with its texels, to copy one to the other.
struct Transfer {
    picture: Picture,
    buffer: Buffer,
    regions: Vec<vk::BufferImageCopy>,
    format: TexelFormat,
}

fn run(scratch: &Scratch<'_>, modules: &[Module], job: &Job) -> Result<Outcome, String> {
    let device = &scratch.device.raw;
    let mut bound: Vec<Binding> = Vec::new();
    let mut placed = Vec::new();
    for resource in &job.resources {
        let fail = |error| format!("`{}`: {error}", resource.name);
        let place = match table(scratch, resource.slot, &resource.contents).map_err(fail)? {
            Some((place, bindings)) => {
                bound.extend(bindings);
                place
            }
            None => {
                let (place, what) = place(scratch, &resource.contents).map_err(fail)?;
                let is_element = bound.iter_mut().any(|other| other.extend(resource.slot, what));
                if !is_element {
                    bound.push(Binding::one(resource.slot, what));
                }
                place
            }
        };
        placed.push(place);
    }
    for sampler in &job.samplers {
        bound.push(Binding::one(sampler.slot, Bound::Sampler(scratch.sampler(sampler.state)?)));
    }

    let commands = begin(scratch)?;
    for place in &placed {
        match place {
            Placed::Buffer(_) | Placed::Scene => {}
            Placed::Texture { upload: transfer } => {
                upload(scratch, commands, transfer, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL)
            }
            Placed::Table { uploads } => {
                for transfer in uploads {
                    upload(scratch, commands, transfer, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL);
                }
            }
            Placed::StorageTexture { upload: transfer, .. } => {
                upload(scratch, commands, transfer, vk::ImageLayout::GENERAL)
            }
        }
    }
    let (attached, pictures) = match &job.work {
        Work::Compute { entry, groups: [x, y, z], threads: _ } => {
            let descriptors = Descriptors::new(scratch, &bound, vk::ShaderStageFlags::COMPUTE)?;
            let pipeline = compute_pipeline(scratch, modules, entry, descriptors.layout)?;
            bind(scratch, commands, vk::PipelineBindPoint::COMPUTE, pipeline, &descriptors);
            // SAFETY: the device is alive and the command buffer is being recorded, here and in all of this function.
            unsafe { device.cmd_dispatch(commands, *x, *y, *z) };
            (Vec::new(), Vec::new())
        }
        Work::Draw { vertex, fragment, vertices, instances, size, targets } => {
            let descriptors =
                Descriptors::new(scratch, &bound, vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT)?;
            let pass = render_pass(scratch, targets)?;
            let draw = Draw { vertex, fragment, size: *size, render_pass: pass, target_count: targets.len() };
            let pipeline = draw_pipeline(scratch, modules, &draw, descriptors.layout)?;
            let pictures = begin_pass(scratch, commands, pass, *size, targets)?;
            bind(scratch, commands, vk::PipelineBindPoint::GRAPHICS, pipeline, &descriptors);
            // SAFETY: as above.
            unsafe {
                device.cmd_draw(commands, *vertices, *instances, 0, 0);
                device.cmd_end_render_pass(commands);
            }
            (targets.iter().map(Option::is_some).collect(), pictures)
        }
    };
    everything_before(scratch, commands);
    for place in &placed {
        if let Placed::StorageTexture { download, .. } = place {
            copy_out(scratch, commands, download, vk::ImageLayout::GENERAL);
        }
    }
    for target in &pictures {
        copy_out(scratch, commands, target, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
    }
    everything_before(scratch, commands);
    finish(scratch, commands)?;

    let resources = placed.iter().map(|place| match place {
        Placed::Buffer(buffer) => scratch.read(*buffer),
        Placed::Texture { upload } => scratch.read(upload.buffer),
        Placed::StorageTexture { download, .. } => scratch.read(download.buffer),
        Placed::Scene | Placed::Table { .. } => Ok(Vec::new()),
    });
    let mut pictures = pictures.iter();
    let left = |attached: bool| {
        let picture = if attached { pictures.next() } else { None };
        picture.map_or(Ok(Vec::new()), |target| scratch.read(target.buffer))
    };
    Ok(Outcome {
        resources: resources.collect::<Result<_, _>>()?,
        targets: attached.into_iter().map(left).collect::<Result<_, _>>()?,
    })
}

/// Makes a resource; the texels of an image wait in a buffer beside it.
fn place(scratch: &Scratch<'_>, contents: &Contents) -> Result<(Placed, Bound), String> {
    match contents {
        Contents::UniformBuffer(bytes) => {
            let buffer = scratch.buffer(bytes, vk::BufferUsageFlags::UNIFORM_BUFFER)?;
            Ok((Placed::Buffer(buffer), Bound::UniformBuffer(buffer)))
        }
        Contents::StorageBuffer(bytes) => {
            let buffer = scratch.buffer(bytes, vk::BufferUsageFlags::STORAGE_BUFFER)?;
            Ok((Placed::Buffer(buffer), Bound::StorageBuffer(buffer)))
        }
        Contents::Texture(image) => {
            let upload = texture(scratch, image)?;
            let picture = upload.picture;
            Ok((Placed::Texture { upload }, Bound::Texture(picture)))
        }
        Contents::StorageTexture(image) => {
            supports(scratch, image.format, vk::FormatFeatureFlags::STORAGE_IMAGE, "a storage texture")?;
            let usage =
                vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::TRANSFER_SRC;
            let picture = scratch.picture(image, usage, 1)?;
            let (upload, download) = (transfer(scratch, picture, image)?, transfer(scratch, picture, image)?);
            Ok((Placed::StorageTexture { upload, download }, Bound::StorageTexture(picture)))
        }
        Contents::Scene(scene) => Ok((Placed::Scene, Bound::Scene(acceleration_structure(scratch, scene)?))),
        Contents::BufferTable(_) | Contents::TextureTable(_) => Err("a table is no single descriptor".into()),
    }
}

/// A texture, whose texels wait in a buffer beside it.
fn texture(scratch: &Scratch<'_>, image: &Image) -> Result<Transfer, String> {
    supports(scratch, image.format, vk::FormatFeatureFlags::SAMPLED_IMAGE, "a texture")?;
    let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    let picture = scratch.picture(image, usage, image.mips)?;
    transfer(scratch, picture, image)
}

/// Makes the elements of a bindless table: an array of descriptors a kind, in bindings one after the other.
fn table(scratch: &Scratch<'_>, slot: Slot, contents: &Contents) -> Result<Option<(Placed, Vec<Binding>)>, String> {
    match contents {
        Contents::BufferTable(buffers) => {
            let mut elements = Vec::new();
            for (index, bytes) in buffers {
                let buffer = scratch.buffer(bytes, vk::BufferUsageFlags::STORAGE_BUFFER)?;
                elements.push((*index, Bound::StorageBuffer(buffer)));
            }
            let binding = Binding::array(slot, vk::DescriptorType::STORAGE_BUFFER, elements);
            Ok(Some((Placed::Table { uploads: Vec::new() }, vec![binding])))
        }
        Contents::TextureTable(textures) => {
            let mut uploads = Vec::new();
            let mut bindings = Vec::new();
            let kinds = [BindlessKind::Tex2D, BindlessKind::TexCube, BindlessKind::Tex3D, BindlessKind::TexDepth2D];
            for (place, kind) in (0..).zip(kinds) {
                let mut elements = Vec::new();
                for (index, image) in textures.iter().filter(|(_, image)| image.bindless_kind() == kind) {
                    let upload = texture(scratch, image)?;
                    elements.push((*index, Bound::Texture(upload.picture)));
                    uploads.push(upload);
                }
                let slot = Slot::new(slot.set, slot.binding + place);
                bindings.push(Binding::array(slot, vk::DescriptorType::SAMPLED_IMAGE, elements));
            }
            Ok(Some((Placed::Table { uploads }, bindings)))
        }
        Contents::UniformBuffer(_)
        | Contents::StorageBuffer(_)
        | Contents::Texture(_)
        | Contents::StorageTexture(_)
        | Contents::Scene(_) => Ok(None),
    }
}

fn transfer(scratch: &Scratch<'_>, picture: Picture, image: &Image) -> Result<Transfer, String> {
    let buffer =
        scratch.buffer(&image.texels, vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST)?;
    Ok(Transfer { picture, buffer, regions: regions(image), format: image.format })
}

fn supports(
    scratch: &Scratch<'_>,
    texel: TexelFormat,
    feature: vk::FormatFeatureFlags,
    role: &str,
) -> Result<(), String> {
    // SAFETY: the instance is alive.
    let properties = unsafe {
        scratch.device.instance.get_physical_device_format_properties(scratch.device.physical, format(texel))
    };
    if properties.optimal_tiling_features.contains(feature) {
        Ok(())
    } else {
        Err(format!("the Vulkan device has no {texel} for {role}"))
    }
}

pub(super) fn begin(scratch: &Scratch<'_>) -> Result<vk::CommandBuffer, String> {
    let device = &scratch.device.raw;
    let create = vk::CommandPoolCreateInfo::default().queue_family_index(scratch.device.queue_family);
    // SAFETY: the device is alive, here and in every call below.
    let pool = during("vkCreateCommandPool", unsafe { device.create_command_pool(&create, None) })?;
    scratch.own(Handle::CommandPool(pool));
    let allocate = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    // SAFETY: as above.
    let commands = during("vkAllocateCommandBuffers", unsafe { device.allocate_command_buffers(&allocate) })?[0];
    let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
    // SAFETY: as above.
    during("vkBeginCommandBuffer", unsafe { device.begin_command_buffer(commands, &begin) })?;
    Ok(commands)
}

/// Submits the commands and waits for them; the parent bounds how long.
pub(super) fn finish(scratch: &Scratch<'_>, commands: vk::CommandBuffer) -> Result<(), String> {
    let device = &scratch.device.raw;
    // SAFETY: the device and the command buffer are alive, and nothing else uses the queue.
    unsafe {
        during("vkEndCommandBuffer", device.end_command_buffer(commands))?;
        let fence = during("vkCreateFence", device.create_fence(&vk::FenceCreateInfo::default(), None))?;
        scratch.own(Handle::Fence(fence));
        let commands = [commands];
        during(
            "vkQueueSubmit",
            device.queue_submit(scratch.device.queue, &[vk::SubmitInfo::default().command_buffers(&commands)], fence),
        )?;
        during("vkWaitForFences", device.wait_for_fences(&[fence], true, u64::MAX))
    }
}

fn bind(
    scratch: &Scratch<'_>,
    commands: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
    descriptors: &Descriptors,
) {
    // SAFETY: the device and all handles are alive, and the command buffer is being recorded.
    unsafe {
        scratch.device.raw.cmd_bind_pipeline(commands, point, pipeline);
        if !descriptors.sets.is_empty() {
            scratch.device.raw.cmd_bind_descriptor_sets(commands, point, descriptors.layout, 0, &descriptors.sets, &[]);
        }
    }
}

/// Makes the targets and begins the pass; gives those that are attached, with the buffers that they are to be copied to.
fn begin_pass(
    scratch: &Scratch<'_>,
    commands: vk::CommandBuffer,
    pass: vk::RenderPass,
    size: [u32; 2],
    targets: &[Option<TexelFormat>],
) -> Result<Vec<Transfer>, String> {
    let device = &scratch.device.raw;
    let [width, height] = size;
    let mut transfers = Vec::new();
    for target in targets.iter().copied().flatten() {
        supports(scratch, target, vk::FormatFeatureFlags::COLOR_ATTACHMENT, "a target")?;
        let texels = vec![0; width as usize * height as usize * target.bytes()];
        let image =
            Image { format: target, shape: TextureShape::D2, size: [width, height, 1], mips: 1, layers: 1, texels };
        let picture =
            scratch.picture(&image, vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC, 1)?;
        transfers.push(transfer(scratch, picture, &image)?);
    }
    let views: Vec<_> = transfers.iter().map(|target| target.picture.view).collect();
    let create = vk::FramebufferCreateInfo::default()
        .render_pass(pass)
        .attachments(&views)
        .width(width)
        .height(height)
        .layers(1);
    // SAFETY: the device and all handles are alive, here and below, and the command buffer is being recorded.
    let framebuffer = during("vkCreateFramebuffer", unsafe { device.create_framebuffer(&create, None) })?;
    scratch.own(Handle::Framebuffer(framebuffer));
    let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
    let clear = vec![vk::ClearValue::default(); transfers.len()];
    let begin = vk::RenderPassBeginInfo::default()
        .render_pass(pass)
        .framebuffer(framebuffer)
        .render_area(area)
        .clear_values(&clear);
    // SAFETY: as above.
    unsafe { device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE) };
    Ok(transfers)
}

/// Fills a new image from its buffer and leaves it in `layout`.
fn upload(scratch: &Scratch<'_>, commands: vk::CommandBuffer, transfer: &Transfer, layout: vk::ImageLayout) {
    change_layout(scratch, commands, transfer, vk::ImageLayout::UNDEFINED, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
    // SAFETY: the device and all handles are alive, and the command buffer is being recorded.
    unsafe {
        let (from, to) = (transfer.buffer.raw, transfer.picture.raw);
        scratch.device.raw.cmd_copy_buffer_to_image(
            commands,
            from,
            to,
            vk::ImageLayout::TRANSFER_DST_OPTIMAL,
            &transfer.regions,
        );
    }
    change_layout(scratch, commands, transfer, vk::ImageLayout::TRANSFER_DST_OPTIMAL, layout);
}

fn copy_out(scratch: &Scratch<'_>, commands: vk::CommandBuffer, transfer: &Transfer, layout: vk::ImageLayout) {
    // SAFETY: the device and all handles are alive, and the command buffer is being recorded.
    unsafe {
        scratch
            .device
            .raw
            .cmd_copy_image_to_buffer(commands, transfer.picture.raw, layout, transfer.buffer.raw, &transfer.regions)
    };
}

const ANY_ACCESS: vk::AccessFlags =
    vk::AccessFlags::from_raw(vk::AccessFlags::MEMORY_READ.as_raw() | vk::AccessFlags::MEMORY_WRITE.as_raw());

fn change_layout(
    scratch: &Scratch<'_>,
    commands: vk::CommandBuffer,
    transfer: &Transfer,
    from: vk::ImageLayout,
    to: vk::ImageLayout,
) {
    let range = vk::ImageSubresourceRange::default()
        .aspect_mask(aspect(transfer.format))
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS);
    let barrier = vk::ImageMemoryBarrier::default()
        .src_access_mask(ANY_ACCESS)
        .dst_access_mask(ANY_ACCESS)
        .old_layout(from)
        .new_layout(to)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(transfer.picture.raw)
        .subresource_range(range);
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    // SAFETY: the device and all handles are alive, and the command buffer is being recorded.
    unsafe {
        scratch.device.raw.cmd_pipeline_barrier(commands, all, all, vk::DependencyFlags::empty(), &[], &[], &[barrier])
    };
}

/// Lets later commands, and the CPU, see all that earlier commands wrote.
pub(super) fn everything_before(scratch: &Scratch<'_>, commands: vk::CommandBuffer) {
    let barrier = vk::MemoryBarrier::default()
        .src_access_mask(ANY_ACCESS)
        .dst_access_mask(ANY_ACCESS | vk::AccessFlags::HOST_READ);
    let after = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
    // SAFETY: the device is alive, and the command buffer is being recorded.
    unsafe {
        scratch.device.raw.cmd_pipeline_barrier(
            commands,
            vk::PipelineStageFlags::ALL_COMMANDS,
            after,
            vk::DependencyFlags::empty(),
            &[barrier],
            &[],
            &[],
        );
    }
}
