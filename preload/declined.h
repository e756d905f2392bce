/*
 * Entry points of the driver whose names sound of memory and that are not in the list of entry_points.h, with the
 * reason why not. Written into every trace, so that its report can say what was not looked at; read by
 * tests/unit/test_entry_points.c, which fails for a name that is in neither list.
 *
 *   D(pattern, reason)     the pattern as of fnmatch
 */
#ifndef MEMTRACE_PRELOAD_DECLINED_H
#define MEMTRACE_PRELOAD_DECLINED_H

// clang-format off
#define MT_DECLINED(D)                                                                                                 \
    D("cu64*", "64-bit forms of CUDA 3.1's beta; no header or driver has them")                                        \
    D("cuBinaryFree", "host memory of a compiler interface that was removed")                                          \
    D("cuCtxResetPersistingL2Cache", "a cache policy, no memory")                                                      \
    D("cuD3D*", "Windows alone")                                                                                       \
    D("cuGraphicsD3D*", "Windows alone")                                                                               \
    D("cuWGL*", "Windows alone")                                                                                       \
    D("cuDestroyExternalSemaphore", "a synchronisation object")                                                        \
    D("cuImportExternalSemaphore", "a synchronisation object")                                                         \
    D("cuDevice*AsyncNotification", "a callback")                                                                      \
    D("cuLogs*Callback", "a callback")                                                                                 \
    D("cuEGLStream*", "frames belong to the EGL stream")                                                               \
    D("cuEventCreate*", "an event is a few bytes of a context's own block")                                            \
    D("cuEventDestroy*", "an event is a few bytes of a context's own block")                                           \
    D("cuIpcOpenEventHandle", "an event is a few bytes of a context's own block")                                      \
    D("cuGetExportTable", "the driver's private interfaces, passed through as they are")                               \
    D("cuGLCtxCreate*", "same as cuCtxCreate; contexts of these are found when they are first current")                \
    D("cuVDPAUCtxCreate*", "same as cuCtxCreate; contexts of these are found when they are first current")             \
    D("cuGL*BufferObject*", "the memory belongs to OpenGL")                                                            \
    D("cuGraphicsGLRegister*", "the memory belongs to OpenGL")                                                         \
    D("cuGraphicsEGLRegisterImage", "the memory belongs to EGL")                                                       \
    D("cuGraphicsVDPAURegister*", "the memory belongs to VDPAU")                                                       \
    D("cuGraphicsMapResources*", "the memory belongs to the graphics interface")                                       \
    D("cuGraphicsUnmapResources*", "the memory belongs to the graphics interface")                                     \
    D("cuGraphicsUnregisterResource", "the memory belongs to the graphics interface")                                  \
    D("cuGraphicsResource*", "the memory belongs to the graphics interface")                                           \
    D("cuGraphicsSubResourceGetMappedArray", "the memory belongs to the graphics interface")                           \
    D("cuGraphAddBatchMemOpNode", "no memory node")                                                                    \
    D("cuGraphAddChildGraphNode", "the child's own nodes were seen")                                                   \
    D("cuGraphAddDependencies*", "an edge")                                                                            \
    D("cuGraphAdd*Semaphores*Node", "no memory node")                                                                  \
    D("cuGraphAddEmptyNode", "no memory node")                                                                         \
    D("cuGraphAddEvent*Node", "no memory node")                                                                        \
    D("cuGraphAddHostNode", "no memory node")                                                                          \
    D("cuGraphAddKernelNode*", "no memory node")                                                                       \
    D("cuGraphAddMemcpyNode", "no memory node")                                                                        \
    D("cuGraphAddMemsetNode", "no memory node")                                                                        \
    D("cuGraphConditionalHandleCreate", "a few bytes of the graph")                                                    \
    D("cuGraphCreate", "host memory of the driver")                                                                    \
    D("cuGraphDestroyNode", "a node that was never launched holds nothing")                                            \
    D("cuGraphMem*NodeGetParams", "a question")                                                                        \
    D("cuGraph*UserObject", "the program's own object")                                                                \
    D("cuUserObject*", "the program's own object")                                                                     \
    D("cuLaunchHostFunc*", "runs on the host")                                                                         \
    D("cuLink*", "host memory of the linker")                                                                          \
    D("cuMemAllocationGet*", "a question")                                                                             \
    D("cuMemGetAllocation*", "a question")                                                                             \
    D("cuMemPoolGet*", "a question")                                                                                   \
    D("cuMemPeer*", "removed before CUDA 4.0 was released")                                                            \
    D("cuMipmappedArrayGet*", "a question")                                                                            \
    D("cuModuleGetLoadingMode", "a question")                                                                          \
    D("cuMultiKernelCooperativeDomain*", "in no header")                                                               \
    D("cuMemHostAlloc_v2", "in no header or driver: cuMemHostAlloc is the one form")                                   \
    D("cuNN*", "in no header")                                                                                         \
    D("cuSemaphore*", "in no header")                                                                                  \
    D("cuStreamAddCallback*", "runs on the host")                                                                      \
    D("cuStreamCreateForCaptureToCig", "in no header")                                                                 \
    D("cuSurf*", "a descriptor of memory that exists")                                                                 \
    D("cuTex*", "a descriptor of memory that exists")                                                                  \
    D("cuTensorMap*", "a descriptor of memory that exists")                                                            \
    D("cuFuncIsLoaded", "a question")                                                                                  \
    D("cuGreenCtxGet*", "a question")
// clang-format on

#endif
