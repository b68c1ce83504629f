//! The Vulkan instance and device of a runner: Vulkan 1.2 with the features that Akari's shaders may use, watched by the validation layer.

#![allow(unsafe_code, reason = "Vulkan is a C interface")]

use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use ash::{ext, khr, vk};

/// The device, its one queue, and the complaints of the validation layer since they were last taken.
pub(super) struct Device {
    pub(super) raw: ash::Device,
    /// What builds acceleration structures. Lavapipe has it; another driver that was asked for may not.
    pub(super) acceleration: Option<khr::acceleration_structure::Device>,
    pub(super) instance: ash::Instance,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) queue: vk::Queue,
    pub(super) queue_family: u32,
    memory: vk::PhysicalDeviceMemoryProperties,
    /// Boxed, since the messenger holds its address for as long as the instance lives. The process ends with the device, so neither is ever freed.
    complaints: &'static Mutex<Vec<String>>,
    _entry: ash::Entry,
}

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Adds what the call was for to an error.
pub(super) fn during<T>(what: &str, result: Result<T, vk::Result>) -> Result<T, String> {
    result.map_err(|error| format!("{what}: {error}"))
}

impl Device {
    /// Creates the instance and the device.
    pub(super) fn new() -> Result<Self, String> {
        // SAFETY: loading the Vulkan loader runs its initializers only.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| format!("no Vulkan loader ({error}): run tests/tools/install.sh"))?;
        let complaints: &'static Mutex<Vec<String>> = Box::leak(Box::new(Mutex::new(Vec::new())));
        let instance = create_instance(&entry, complaints)?;
        // SAFETY: `instance` is alive.
        let devices = during("vkEnumeratePhysicalDevices", unsafe { instance.enumerate_physical_devices() })?;
        let physical = *devices.first().ok_or("no Vulkan device: run tests/tools/install.sh")?;
        // SAFETY: `physical` belongs to `instance`.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let wanted = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
        let family = families
            .iter()
            .position(|family| family.queue_flags.contains(wanted))
            .ok_or("no queue for graphics and compute")?;
        let queue_family = u32::try_from(family).map_err(|error| error.to_string())?;
        let (raw, has_rays) = create_device(&instance, physical, queue_family)?;
        // SAFETY: the queue was asked for when the device was made; `physical` belongs to `instance`.
        let (queue, memory) = unsafe {
            (raw.get_device_queue(queue_family, 0), instance.get_physical_device_memory_properties(physical))
        };
        let acceleration = has_rays.then(|| khr::acceleration_structure::Device::new(&instance, &raw));
        Ok(Self { raw, acceleration, instance, physical, queue, queue_family, memory, complaints, _entry: entry })
    }

    /// What builds acceleration structures.
    pub(super) fn ray_tracing(&self) -> Result<&khr::acceleration_structure::Device, String> {
        self.acceleration.as_ref().ok_or_else(|| "this driver has no ray queries".to_owned())
    }

    /// What the validation layer has said since the last call.
    pub(super) fn take_complaints(&self) -> Vec<String> {
        self.complaints.lock().map(|mut complaints| std::mem::take(&mut *complaints)).unwrap_or_default()
    }

    /// The first memory type among `types` (a bit set) with these properties.
    pub(super) fn memory_type(&self, types: u32, properties: vk::MemoryPropertyFlags) -> Result<u32, String> {
        (0..self.memory.memory_type_count)
            .find(|&index| {
                types >> index & 1 == 1 && self.memory.memory_types[index as usize].property_flags.contains(properties)
            })
            .ok_or_else(|| format!("no memory type with {properties:?}"))
    }
}

fn create_instance(entry: &ash::Entry, complaints: &'static Mutex<Vec<String>>) -> Result<ash::Instance, String> {
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
    let layers = [VALIDATION_LAYER.as_ptr()];
    let extensions = [ext::debug_utils::NAME.as_ptr()];
    let mut messenger = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR | vk::DebugUtilsMessageSeverityFlagsEXT::WARNING)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(note_complaint))
        .user_data(std::ptr::from_ref(complaints).cast_mut().cast());
    // Without a messenger of its own the layer would write what it says about this call to stdout, where replies go.
    let create = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(&layers)
        .enabled_extension_names(&extensions)
        .push_next(&mut messenger);
    // SAFETY: everything that `create` points to outlives the call.
    let instance = during("vkCreateInstance", unsafe { entry.create_instance(&create, None) })?;
    // SAFETY: the extension is enabled, and `complaints` is never freed.
    during("vkCreateDebugUtilsMessengerEXT", unsafe {
        ext::debug_utils::Instance::new(entry, &instance).create_debug_utils_messenger(&messenger, None)
    })?;
    Ok(instance)
}

unsafe extern "system" fn note_complaint(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    complaints: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data, and the pointer that the messenger was made with.
    let (message, complaints) = unsafe { ((*data).message_as_c_str(), &*complaints.cast::<Mutex<Vec<String>>>()) };
    if let (Some(message), Ok(mut complaints)) = (message, complaints.lock()) {
        complaints.push(message.to_string_lossy().into_owned());
    }
    vk::TRUE // the call does not reach the driver, which would not survive it
}

/// Sets the named fields to true in the wanted features, and lists those that the device does not have.
macro_rules! want {
    ($missing:ident: $wanted:ident of $present:ident { $($feature:ident)* }) => {
        $(
            $wanted.$feature = vk::TRUE;
            if $present.$feature == vk::FALSE {
                $missing.push(stringify!($feature));
            }
        )*
    };
}

/// Creates the device; whether it traces rays is said beside it.
fn create_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    queue_family: u32,
) -> Result<(ash::Device, bool), String> {
    let mut present11 = vk::PhysicalDeviceVulkan11Features::default();
    let mut present12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut present_demote = vk::PhysicalDeviceShaderDemoteToHelperInvocationFeatures::default();
    let mut present_structures = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default();
    let mut present_rays = vk::PhysicalDeviceRayQueryFeaturesKHR::default();
    let mut query = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut present_structures)
        .push_next(&mut present_rays)
        .push_next(&mut present11)
        .push_next(&mut present12)
        .push_next(&mut present_demote);
    // SAFETY: `query` is a chain of structures that this function owns.
    unsafe { instance.get_physical_device_features2(physical, &mut query) };
    let present10 = query.features;

    let mut missing = Vec::new();
    let mut wanted10 = vk::PhysicalDeviceFeatures::default();
    want!(missing: wanted10 of present10 {
        robust_buffer_access image_cube_array independent_blend
        shader_int16 shader_int64 shader_clip_distance shader_image_gather_extended
        shader_storage_image_extended_formats shader_storage_image_read_without_format shader_storage_image_write_without_format
        shader_uniform_buffer_array_dynamic_indexing shader_storage_buffer_array_dynamic_indexing
        shader_sampled_image_array_dynamic_indexing shader_storage_image_array_dynamic_indexing
        vertex_pipeline_stores_and_atomics fragment_stores_and_atomics
    });
    let mut wanted11 = vk::PhysicalDeviceVulkan11Features::default();
    want!(missing: wanted11 of present11 { storage_buffer16_bit_access uniform_and_storage_buffer16_bit_access shader_draw_parameters });
    let mut wanted12 = vk::PhysicalDeviceVulkan12Features::default();
    want!(missing: wanted12 of present12 {
        scalar_block_layout shader_float16 shader_subgroup_extended_types vulkan_memory_model vulkan_memory_model_device_scope
        buffer_device_address descriptor_indexing runtime_descriptor_array descriptor_binding_partially_bound
        shader_uniform_buffer_array_non_uniform_indexing shader_storage_buffer_array_non_uniform_indexing
        shader_sampled_image_array_non_uniform_indexing shader_storage_image_array_non_uniform_indexing
    });
    let mut wanted_demote = vk::PhysicalDeviceShaderDemoteToHelperInvocationFeatures::default();
    want!(missing: wanted_demote of present_demote { shader_demote_to_helper_invocation });
    let mut wanted_structures = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default();
    let mut wanted_rays = vk::PhysicalDeviceRayQueryFeaturesKHR::default();
    let another_driver = std::env::var_os("AKARI_VULKAN_DRIVER").is_some();
    let has_rays = !another_driver || present_rays.ray_query == vk::TRUE;
    if has_rays {
        want!(missing: wanted_structures of present_structures { acceleration_structure });
        want!(missing: wanted_rays of present_rays { ray_query });
    }
    if !missing.is_empty() {
        return Err(format!("the Vulkan device lacks {}: run tests/tools/install.sh", missing.join(", ")));
    }

    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
    let mut extensions = vec![ext::shader_demote_to_helper_invocation::NAME.as_ptr()];
    if has_rays {
        extensions.extend([
            khr::acceleration_structure::NAME.as_ptr(),
            khr::deferred_host_operations::NAME.as_ptr(),
            khr::ray_query::NAME.as_ptr(),
        ]);
    }
    let mut create = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .enabled_features(&wanted10)
        .push_next(&mut wanted11)
        .push_next(&mut wanted12)
        .push_next(&mut wanted_demote);
    if has_rays {
        create = create.push_next(&mut wanted_structures).push_next(&mut wanted_rays);
    }
    // SAFETY: everything that `create` points to outlives the call.
    let device = during("vkCreateDevice", unsafe { instance.create_device(physical, &create, None) })?;
    Ok((device, has_rays))
}
