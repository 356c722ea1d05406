"""The classes of programs, and how many of each."""

import kernels
import memory
import ptx
import registers
import tensor

CLASSES = {
    "integers": (registers.integers, 350),
    "uniforms": (registers.uniforms, 250),
    "predicates": (registers.predicates, 200),
    "between_lanes": (registers.between_lanes, 150),
    "shuffles": (registers.shuffles, 80),
    "floats": (registers.floats, 100),
    "float_edges": (registers.float_edges, 60),
    "float_extremes": (registers.float_extremes, 60),
    "control": (registers.control, 150),
    "shared": (memory.shared, 120),
    "global_memory": (memory.global_memory, 120),
    "flags": (memory.flags, 60),
    "named_barriers": (memory.named_barriers, 80),
    "mbarriers": (memory.mbarriers, 120),
    "clusters": (memory.clusters, 80),
    "loads": (tensor.loads, 240),
    "stores": (tensor.stores, 160),
    "multicast": (tensor.multicast, 80),
    "warpgroup_mma": (tensor.warpgroup_mma, 240),
    "register_mma": (tensor.register_mma, 240),
    # Written in .wk
    "wk_shared": (kernels.shared_lanes, 80),
    "wk_copies": (kernels.copies, 80),
    "wk_factors": (kernels.factors, 80),
    "wk_types": (kernels.types, 120),
    # In PTX, as others write it: all forms of each family, four times.
    **{name: (ptx.programs_of(forms, ptx.THREADS.get(name, 32)), 4 * ptx.count(forms)) for name, forms in ptx.FAMILIES.items()},
}


def programs(scale=1.0, first_seed=0):
    """(class, name, text) of every program."""
    for name, (make, count) in CLASSES.items():
        for i in range(max(1, int(count * scale))):
            seed = first_seed + i
            label = f"{name}_{seed}"
            yield name, label, make(label, seed)
