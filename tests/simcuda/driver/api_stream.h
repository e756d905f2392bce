// The driver entry points for streams and events, one row each; api.h says what the columns mean.
// No include guard: each user defines the SIM_API macros it wants and includes api.h.
//
// clang-format would take the parameters for products.
// clang-format off

// Streams
SIM_API(CONTEXT, 2000, cuStreamCreate, (CUstream *phStream, unsigned int Flags), (phStream, Flags))
SIM_API(CONTEXT, 5050, cuStreamCreateWithPriority, (CUstream *phStream, unsigned int flags, int priority),
        (phStream, flags, priority))
SIM_API(CONTEXT, 2000, cuStreamDestroy, (CUstream hStream), (hStream))
SIM_API(CONTEXT, 4000, cuStreamDestroy_v2, (CUstream hStream), (hStream))
SIM_API_STREAM(CONTEXT, 5050, cuStreamGetPriority, (CUstream hStream, int *priority), (hStream, priority), hStream)
SIM_API_STREAM(CONTEXT, 12080, cuStreamGetDevice, (CUstream hStream, CUdevice *device), (hStream, device), hStream)
SIM_API_STREAM(CONTEXT, 5050, cuStreamGetFlags, (CUstream hStream, unsigned int *flags), (hStream, flags), hStream)
SIM_API_STREAM(CONTEXT, 12000, cuStreamGetId, (CUstream hStream, unsigned long long *streamId), (hStream, streamId),
               hStream)
SIM_API_STREAM(CONTEXT, 9020, cuStreamGetCtx, (CUstream hStream, CUcontext *pctx), (hStream, pctx), hStream)
SIM_API_STREAM(CONTEXT, 3020, cuStreamWaitEvent, (CUstream hStream, CUevent hEvent, unsigned int Flags),
               (hStream, hEvent, Flags), hStream)
SIM_API_STREAM(CONTEXT, 5000, cuStreamAddCallback,
               (CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags),
               (hStream, callback, userData, flags), hStream)
SIM_API_STREAM(CONTEXT, 6000, cuStreamAttachMemAsync,
               (CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags), (hStream, dptr, length, flags),
               hStream)
SIM_API_STREAM(CONTEXT, 2000, cuStreamQuery, (CUstream hStream), (hStream), hStream)
SIM_API_STREAM(CONTEXT, 2000, cuStreamSynchronize, (CUstream hStream), (hStream), hStream)
SIM_API_STREAM(CONTEXT, 11000, cuStreamCopyAttributes, (CUstream dstStream, CUstream srcStream), (dstStream, srcStream),
               dstStream)
SIM_API_STREAM(CONTEXT, 11000, cuStreamGetAttribute, (CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value),
               (hStream, attr, value), hStream)
SIM_API_STREAM(CONTEXT, 11000, cuStreamSetAttribute,
               (CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *param), (hStream, attr, param), hStream)
SIM_API_STREAM(CONTEXT, 10000, cuLaunchHostFunc, (CUstream hStream, CUhostFn fn, void *userData),
               (hStream, fn, userData), hStream)

// Events
SIM_API(CONTEXT, 2000, cuEventCreate, (CUevent *phEvent, unsigned int Flags), (phEvent, Flags))
SIM_API_STREAM(CONTEXT, 2000, cuEventRecord, (CUevent hEvent, CUstream hStream), (hEvent, hStream), hStream)
SIM_API_STREAM(CONTEXT, 11010, cuEventRecordWithFlags, (CUevent hEvent, CUstream hStream, unsigned int flags),
               (hEvent, hStream, flags), hStream)
SIM_API(CONTEXT, 2000, cuEventQuery, (CUevent hEvent), (hEvent))
SIM_API(CONTEXT, 2000, cuEventSynchronize, (CUevent hEvent), (hEvent))
SIM_API(CONTEXT, 2000, cuEventDestroy, (CUevent hEvent), (hEvent))
SIM_API(CONTEXT, 4000, cuEventDestroy_v2, (CUevent hEvent), (hEvent))
SIM_API(CONTEXT, 2000, cuEventElapsedTime, (float *pMilliseconds, CUevent hStart, CUevent hEnd),
        (pMilliseconds, hStart, hEnd))
SIM_API(CONTEXT, 12080, cuEventElapsedTime_v2, (float *pMilliseconds, CUevent hStart, CUevent hEnd),
        (pMilliseconds, hStart, hEnd))
