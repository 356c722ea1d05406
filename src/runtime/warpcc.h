/* Loads and launches what warpcc compiles: a cubin and the manifest beside it. No CUDA is needed to compile or to link
 * this; the NVIDIA driver is found when the first function is called.
 *
 *     warpcc_kernel* gemm;
 *     warpcc_error error;
 *     if (warpcc_open("gemm.cubin", NULL, &gemm, &error)) fail(error.message);
 *     warpcc_tensor tensors[] = {{"a", a}, {"b", b}, {"c", c}};
 *     if (warpcc_run(gemm, tensors, 3, NULL, &error)) fail(error.message);
 *     warpcc_close(gemm);
 *
 * Every function that can fail returns a status, WARPCC_OK is 0, and says why in `error` (NULL: it does not). Nothing
 * throws or ends the program. A kernel object may be used by one thread at a time, and its launches must follow one
 * another, in one stream or by events: it owns memory that they share (docs/runtime.md). */
#ifndef WARPCC_H
#define WARPCC_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WARPCC_API __attribute__((visibility("default")))
#else
#define WARPCC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum warpcc_status {
  WARPCC_OK = 0,
  WARPCC_BAD_ARGUMENT = 1, /* a null pointer, an option that does not exist */
  WARPCC_BAD_FILE = 2,     /* a cubin or a manifest that cannot be read, or is none */
  WARPCC_NO_DRIVER = 3,    /* no NVIDIA driver, or one too old */
  WARPCC_NO_DEVICE = 4,    /* a driver, and no GPU, or not the one asked for */
  WARPCC_WRONG_DEVICE = 5, /* the GPU cannot run the kernel */
  WARPCC_WRONG_TENSOR = 6, /* a tensor is not what the kernel was compiled for */
  WARPCC_DRIVER_FAILED = 7 /* a call of the driver failed */
} warpcc_status;

typedef struct warpcc_error {
  warpcc_status status;
  char message[1024]; /* what was wanted, what was given, how to mend it */
} warpcc_error;

/* An element type; WARPCC_ANY leaves it unsaid. */
typedef enum warpcc_element {
  WARPCC_ANY = 0,
  WARPCC_F16 = 1,
  WARPCC_BF16 = 2,
  WARPCC_F32 = 3,
  WARPCC_TF32 = 4,
  WARPCC_F8E4M3 = 5,
  WARPCC_F8E5M2 = 6,
  WARPCC_S8 = 7,
  WARPCC_U8 = 8,
  WARPCC_S32 = 9,
  WARPCC_U32 = 10,
  WARPCC_U64 = 11
} warpcc_element;

/* What is given for one of the kernel's tensors. What is left out (zero) is not checked but taken to be right: a rank
 * of 0 is the kernel's own shape, dense. Strides are counted in elements; NULL: dense, the last dimension innermost. */
typedef struct warpcc_tensor {
  const char* name;
  void* data; /* an address in the GPU's memory */
  warpcc_element element;
  int rank;
  const int64_t* shape;
  const int64_t* strides;
} warpcc_tensor;

/* What a kernel says of one of its tensors. */
typedef struct warpcc_tensor_info {
  const char* name;
  warpcc_element element;
  int rank;
  const int64_t* shape;
  const int64_t* strides; /* elements */
  int written;            /* the kernel stores to it */
} warpcc_tensor_info;

typedef struct warpcc_kernel warpcc_kernel;
typedef struct warpcc_call warpcc_call;
typedef void* warpcc_stream; /* a CUstream or cudaStream_t; NULL: the default stream */

typedef struct warpcc_open_options {
  const char* manifest;        /* path; NULL: beside the cubin, with the ending .json */
  const char* expect_manifest; /* text; not NULL: what the manifest must be, byte by byte */
  int use_device;              /* 0: the GPU of the thread's current context, else GPU 0; 1: that of `device` */
  int device;
} warpcc_open_options;

/* Loads a cubin. The kernel lives in the thread's current context, or in the GPU's primary one, as the CUDA runtime and
 * PyTorch use it. Its own memory is taken and zeroed here. */
WARPCC_API warpcc_status warpcc_open(const char* cubin, const warpcc_open_options* options, warpcc_kernel** kernel,
                                     warpcc_error* error);
/* The same of a cubin and a manifest in memory; `options->manifest` is not used. */
WARPCC_API warpcc_status warpcc_open_memory(const void* cubin, size_t bytes, const char* manifest,
                                            const warpcc_open_options* options, warpcc_kernel** kernel,
                                            warpcc_error* error);
/* Waits for nothing: the kernel's launches must be done, and its calls dropped. */
WARPCC_API void warpcc_close(warpcc_kernel* kernel);

WARPCC_API const char* warpcc_entry(const warpcc_kernel* kernel);
WARPCC_API size_t warpcc_tensor_count(const warpcc_kernel* kernel);
WARPCC_API warpcc_tensor_info warpcc_tensor_at(const warpcc_kernel* kernel, size_t index);

/* A call: tensors checked, tensor maps encoded. It may be launched any number of times; nothing of `tensors` is kept
 * but the addresses. */
WARPCC_API warpcc_status warpcc_bind(warpcc_kernel* kernel, const warpcc_tensor* tensors, size_t count,
                                     warpcc_call** call, warpcc_error* error);
WARPCC_API void warpcc_drop(warpcc_call* call);

typedef struct warpcc_launch_options {
  warpcc_stream stream;
  /* Programmatic stream serialisation: the grid may start before the one ahead of it in the stream has ended, and waits
   * where it first needs memory. For kernels that do wait (`waits_for_grid_before`); others are refused. */
  int dependent;
} warpcc_launch_options;

/* One launch; `options` may be NULL. It only queues work: it may be captured into a graph. */
WARPCC_API warpcc_status warpcc_launch(const warpcc_call* call, const warpcc_launch_options* options,
                                       warpcc_error* error);
/* bind, launch, drop. */
WARPCC_API warpcc_status warpcc_run(warpcc_kernel* kernel, const warpcc_tensor* tensors, size_t count,
                                    const warpcc_launch_options* options, warpcc_error* error);
/* Zeroes the kernel's own memory again, in the stream: after a launch that was broken off. */
WARPCC_API warpcc_status warpcc_reset(warpcc_kernel* kernel, warpcc_stream stream, warpcc_error* error);

/* For programs that have nothing else of CUDA: memory of the kernel's GPU, copies that end before the function does,
 * and the end of all that is queued in a stream. */
WARPCC_API warpcc_status warpcc_allocate(const warpcc_kernel* kernel, size_t bytes, void** data, warpcc_error* error);
WARPCC_API warpcc_status warpcc_free(const warpcc_kernel* kernel, void* data, warpcc_error* error);
WARPCC_API warpcc_status warpcc_copy_in(const warpcc_kernel* kernel, void* to, const void* from, size_t bytes,
                                        warpcc_error* error);
WARPCC_API warpcc_status warpcc_copy_out(const warpcc_kernel* kernel, void* to, const void* from, size_t bytes,
                                         warpcc_error* error);
WARPCC_API warpcc_status warpcc_wait(const warpcc_kernel* kernel, warpcc_stream stream, warpcc_error* error);

#ifdef __cplusplus
} /* extern "C" */

namespace warpcc {

/* What headers of `warpcc --emit header` call the elements that C++ has no type for. */
struct f16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};
struct tf32 {
  uint32_t bits;
};
struct f8e4m3 {
  uint8_t bits;
};
struct f8e5m2 {
  uint8_t bits;
};

} /* namespace warpcc */
#endif

#endif
