"""The driver as far as the differential run needs it, by its own library: nothing else is installed."""

import ctypes

TYPES = {"u8": 0, "s8": 0, "f8e4m3": 0, "u32": 2, "s32": 3, "f16": 6, "f32": 7, "bf16": 9, "tf32": 11}  # CUtensorMapDataType
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}  # CUtensorMapSwizzle
MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14  # CUfunction_attribute
CLUSTER_DIMENSION = 4  # CUlaunchAttributeID


class LaunchAttribute(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [
        *[(f"grid_{axis}", ctypes.c_uint) for axis in "xyz"],
        *[(f"block_{axis}", ctypes.c_uint) for axis in "xyz"],
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("attribute_count", ctypes.c_uint),
    ]


class TensorMap(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint64 * 16)]


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self._call("cuInit", 0)
        device = ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        self.device = device
        context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)

    def _call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else code}")

    def name(self):
        text = ctypes.create_string_buffer(100)
        self._call("cuDeviceGetName", text, 100, self.device)
        return text.value.decode()

    def load(self, image):
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def unload(self, module):
        self._call("cuModuleUnload", module)

    def tensor_map(self, address, element, extents, element_bytes, box, swizzle):
        result = (ctypes.c_char * (128 + 64))()
        at = -ctypes.addressof(result) % 64  # aligned to 64 bytes
        place = ctypes.addressof(result) + at
        rank = len(extents)
        sizes = (ctypes.c_uint64 * rank)(*reversed(extents))
        strides, step = [], element_bytes
        for extent in list(reversed(extents))[:-1]:
            step *= extent
            strides.append(step)
        self._call(
            "cuTensorMapEncodeTiled",
            ctypes.c_void_p(place),
            TYPES[element],
            rank,
            ctypes.c_void_p(address),
            sizes,
            (ctypes.c_uint64 * max(1, rank - 1))(*strides),
            (ctypes.c_uint32 * rank)(*reversed(box)),
            (ctypes.c_uint32 * rank)(*[1] * rank),
            0,
            SWIZZLES[swizzle],
            0,
            0,
        )
        return ctypes.string_at(place, 128)

    def launch(self, module, name, header, before):
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        self._call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, header.shared)
        if header.cluster > 8:
            self._call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
        addresses = []
        for content in before:
            address = ctypes.c_uint64()
            self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(16, len(content))))
            self._call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(len(content)))
            addresses.append(address.value)
        by_name = {buffer.name: (buffer, address) for buffer, address in zip(header.buffers, addresses)}
        values = [ctypes.c_uint64(by_name[param][1]) for param in header.params]
        for map_name, extents, element_bytes, box, swizzle in header.maps:
            buffer, address = by_name[map_name]
            image = self.tensor_map(address, buffer.element, extents, element_bytes, box, swizzle)
            values.append(TensorMap.from_buffer_copy(image))
        pointers = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(value) for value in values])
        attribute = LaunchAttribute()
        attribute.id = CLUSTER_DIMENSION
        attribute.value[0], attribute.value[1], attribute.value[2] = header.cluster, 1, 1
        config = LaunchConfig(*header.grid, header.threads, 1, 1, header.shared, None, ctypes.pointer(attribute), 1)
        self._call("cuLaunchKernelEx", ctypes.byref(config), function, pointers, None)
        self._call("cuCtxSynchronize")
        after = []
        for address, content in zip(addresses, before):
            got = ctypes.create_string_buffer(len(content))
            self._call("cuMemcpyDtoH_v2", got, ctypes.c_uint64(address), ctypes.c_size_t(len(content)))
            after.append(got.raw)
            self._call("cuMemFree_v2", ctypes.c_uint64(address))
        return after
