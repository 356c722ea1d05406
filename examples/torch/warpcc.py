"""Kernels of warpcc on PyTorch's tensors, through the C interface of libwarpcc.so (warpcc.h) with ctypes alone.

    kernel = warpcc.Kernel("gemm.cubin")          # gemm.json beside it
    kernel(a=a, b=b, c=c)                         # tensors on the GPU; queued in PyTorch's current stream
    call = kernel.bind(a=a, b=b, c=c)             # checked and encoded once
    call(dependent=True)                          # may begin before what is queued ahead of it has ended: programmatic dependent launch

The library is found where WARPCC_LIBRARY says, or by the loader. What does not fit (shape, strides, type, GPU) is a warpcc.Error
that says why.
"""
import ctypes
import os

import torch

ELEMENTS = {torch.float16: 1, torch.bfloat16: 2, torch.float32: 3, torch.int8: 7, torch.uint8: 8, torch.int32: 9}


class Error(Exception):
    pass


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 1024)]


class _Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("element", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64))]


class _LaunchOptions(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("dependent", ctypes.c_int)]


def _library():
    library = ctypes.CDLL(os.environ.get("WARPCC_LIBRARY", "libwarpcc.so.0"))
    pointer = ctypes.c_void_p
    library.warpcc_open.argtypes = [ctypes.c_char_p, pointer, ctypes.POINTER(pointer), ctypes.POINTER(_Error)]
    library.warpcc_close.argtypes = [pointer]
    library.warpcc_close.restype = None
    library.warpcc_bind.argtypes = [pointer, ctypes.POINTER(_Tensor), ctypes.c_size_t, ctypes.POINTER(pointer), ctypes.POINTER(_Error)]
    library.warpcc_drop.argtypes = [pointer]
    library.warpcc_drop.restype = None
    library.warpcc_launch.argtypes = [pointer, ctypes.POINTER(_LaunchOptions), ctypes.POINTER(_Error)]
    return library


class Call:
    """A kernel bound to tensors: checked and encoded once, launched any number of times, also into a CUDA graph."""

    def __init__(self, kernel, tensors):
        self.kernel, self.tensors, self.handle = kernel, tensors, ctypes.c_void_p()  # what is bound must stay alive
        given = (_Tensor * len(tensors))()
        for at, (name, tensor) in zip(given, tensors.items()):
            if not tensor.is_cuda:
                raise Error(f"`{name}` is not on the GPU")
            numbers = ctypes.c_int64 * tensor.dim()
            at.name, at.data, at.element, at.rank = name.encode(), tensor.data_ptr(), ELEMENTS.get(tensor.dtype, 0), tensor.dim()
            at.shape, at.strides = numbers(*tensor.shape), numbers(*tensor.stride())
        kernel._call(kernel.library.warpcc_bind, kernel.handle, given, len(tensors), ctypes.byref(self.handle))

    def __call__(self, dependent=False):
        options = _LaunchOptions(torch.cuda.current_stream().cuda_stream, dependent)
        self.kernel._call(self.kernel.library.warpcc_launch, self.handle, ctypes.byref(options))

    def __del__(self):
        if self.handle:
            self.kernel.library.warpcc_drop(self.handle)


class Kernel:
    def __init__(self, cubin):
        self.library, self.handle = _library(), ctypes.c_void_p()
        torch.cuda.current_stream()  # PyTorch's context is the current one from here on
        self._call(self.library.warpcc_open, os.fsencode(cubin), None, ctypes.byref(self.handle))

    def _call(self, function, *arguments):
        error = _Error()
        if function(*arguments, ctypes.byref(error)):
            raise Error(error.message.decode())

    def bind(self, **tensors):
        return Call(self, tensors)

    def __call__(self, **tensors):
        self.bind(**tensors)()

    def __del__(self):
        if self.handle:
            self.library.warpcc_close(self.handle)
