/*
 * The effect functions: what each kind of driver call does to memory, as records. entry_points.h says which entry point
 * has which.
 */
#ifndef MEMTRACE_PRELOAD_EFFECTS_EFFECTS_H
#define MEMTRACE_PRELOAD_EFFECTS_EFFECTS_H

#include "preload/call.h"

// effects/linear.c
mt_effect_fn mt_effect_mem_alloc, mt_effect_mem_alloc_v1, mt_effect_mem_alloc_pitch, mt_effect_mem_alloc_pitch_v1,
    mt_effect_mem_alloc_managed, mt_effect_mem_free, mt_effect_mem_free_v1, mt_effect_mem_alloc_async,
    mt_effect_mem_alloc_from_pool_async, mt_effect_mem_free_async, mt_effect_prefetch_v1, mt_effect_prefetch;

// effects/host.c
mt_effect_fn mt_effect_mem_alloc_host, mt_effect_mem_alloc_host_v1, mt_effect_mem_host_alloc,
    mt_effect_mem_host_register, mt_effect_mem_free_host, mt_effect_mem_host_unregister;

// effects/launch.c
mt_effect_fn mt_effect_launch_kernel, mt_effect_launch_cooperative, mt_effect_launch_kernel_ex,
    mt_effect_launch_multi_device, mt_effect_launch, mt_effect_launch_grid, mt_effect_launch_grid_async;

// effects/context.c
mt_effect_fn mt_effect_ctx_create, mt_effect_ctx_create_v3, mt_effect_ctx_create_v4, mt_effect_primary_ctx_retain,
    mt_effect_ctx_destroy, mt_effect_ctx_detach, mt_effect_primary_ctx_reset, mt_effect_primary_ctx_release,
    mt_effect_green_ctx_create, mt_effect_green_ctx_destroy;

// effects/pool.c
mt_effect_fn mt_effect_pool_create, mt_effect_pool_destroy, mt_effect_pool_trim, mt_effect_pool_set_attribute,
    mt_effect_pool_set_access, mt_effect_device_set_pool, mt_effect_device_get_pool, mt_effect_device_get_default_pool,
    mt_effect_location_get_pool, mt_effect_location_set_pool, mt_effect_pool_export, mt_effect_pool_import,
    mt_effect_pool_export_pointer, mt_effect_pool_import_pointer;

// effects/virtual.c
mt_effect_fn mt_effect_address_reserve, mt_effect_address_free, mt_effect_physical_create, mt_effect_physical_release,
    mt_effect_map, mt_effect_unmap, mt_effect_set_access, mt_effect_retain_handle, mt_effect_export_handle,
    mt_effect_import_handle, mt_effect_map_array;

// effects/array.c
mt_effect_fn mt_effect_array_create, mt_effect_array_create_v1, mt_effect_array_create_3d, mt_effect_array_create_3d_v1,
    mt_effect_mipmapped_create, mt_effect_array_destroy, mt_effect_mipmapped_destroy;

// effects/shared.c
mt_effect_fn mt_effect_ipc_get, mt_effect_ipc_open, mt_effect_ipc_close, mt_effect_external_import,
    mt_effect_external_buffer, mt_effect_external_mipmapped, mt_effect_external_destroy, mt_effect_multicast_create,
    mt_effect_multicast_add, mt_effect_multicast_bind, mt_effect_multicast_bind_address, mt_effect_multicast_unbind;

// effects/graph.c
mt_effect_fn mt_effect_graph_add_alloc, mt_effect_graph_add_free, mt_effect_graph_add_node, mt_effect_graph_add_node_v2,
    mt_effect_graph_instantiate, mt_effect_graph_instantiate_flags, mt_effect_graph_instantiate_params,
    mt_effect_graph_upload, mt_effect_graph_launch, mt_effect_graph_exec_destroy, mt_effect_graph_destroy,
    mt_effect_graph_trim;

// effects/code.c
mt_effect_fn mt_effect_module_load, mt_effect_module_unload, mt_effect_library_load, mt_effect_library_unload,
    mt_effect_module_get_function, mt_effect_library_get_kernel, mt_effect_kernel_get_function, mt_effect_sampled,
    mt_effect_set_limit;

#endif
