#include "runtime/device.h"

#include <algorithm>

namespace warpcc::runtime {
namespace {

// Targets with an `a` run on their own compute capability alone (PTX ISA, .target).
struct Target {
  std::string_view name;
  int major, minor;
  std::string_view gpus;
};
constexpr Target kTargets[] = {{"sm_90a", 9, 0, "Hopper: H100, H200"}, {"sm_100a", 10, 0, "Blackwell: B100, B200"}};

std::string capability(int major, int minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

Error read_device(const Driver& driver, cuda::Device handle, Device& device) {
  device.handle = handle;
  char name[256] = "";
  if (Error error = check(driver, driver.device_name(name, sizeof name, handle), "cuDeviceGetName")) return error;
  device.name = name;
  struct Wanted {
    cuda::DeviceAttribute attribute;
    int* value;
  };
  for (const Wanted& each :
       {Wanted{cuda::kMajor, &device.major}, Wanted{cuda::kMinor, &device.minor},
        Wanted{cuda::kMultiprocessors, &device.multiprocessors}, Wanted{cuda::kSharedBytes, &device.shared_bytes}}) {
    cuda::Result result = driver.device_attribute(each.value, each.attribute, handle);
    if (Error error = check(driver, result, "cuDeviceGetAttribute")) return error;
  }
  return success();
}

Error check_device(const Device& device, const Manifest& manifest) {
  auto target = std::find_if(std::begin(kTargets), std::end(kTargets),
                             [&](const Target& each) { return each.name == manifest.target; });
  if (target == std::end(kTargets)) {
    return failure(WARPCC_BAD_FILE, "the manifest's target `" + manifest.target + "` is not known to this library");
  }
  if (target->major != device.major || target->minor != device.minor) {
    return failure(WARPCC_WRONG_DEVICE,
                   "`" + manifest.entry + "` was compiled for " + manifest.target + " (" + std::string(target->gpus) +
                       "), which is compute capability " + capability(target->major, target->minor) + "; this GPU is " +
                       device.name + ", " + capability(device.major, device.minor) + ": compile a kernel for it");
  }
  if (static_cast<std::int64_t>(manifest.shared_bytes) > device.shared_bytes) {
    return failure(WARPCC_WRONG_DEVICE, "`" + manifest.entry + "` needs " + std::to_string(manifest.shared_bytes) +
                                            " bytes of shared memory a CTA; " + device.name + " has " +
                                            std::to_string(device.shared_bytes) +
                                            ": compile it with fewer stages, or a smaller tile");
  }
  return success();
}

Error resident_ctas(const Driver& driver, const Device& device, cuda::Function function, const Manifest& manifest,
                    std::int64_t& ctas) {
  int threads = static_cast<int>(manifest.block[0] * manifest.block[1] * manifest.block[2]);
  if (manifest.cluster_ctas() == 1) {
    int blocks = 0;
    cuda::Result result = driver.blocks_per_multiprocessor(&blocks, function, threads, manifest.shared_bytes);
    ctas = std::int64_t{blocks} * device.multiprocessors;
    return check(driver, result, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  }
  cuda::LaunchAttribute attribute{cuda::LaunchAttributeId::cluster, 0, {}};
  cuda::LaunchConfig config{};
  for (std::size_t i = 0; i < 3; ++i) {
    config.grid[i] = manifest.grid[i];
    config.block[i] = manifest.block[i];
    attribute.cluster[i] = manifest.cluster[i];
  }
  config.shared_bytes = manifest.shared_bytes;
  config.attributes = &attribute;
  config.attribute_count = 1;
  int clusters = 0;
  cuda::Result result = driver.active_clusters(&clusters, function, &config);
  ctas = std::int64_t{clusters} * manifest.cluster_ctas();
  return check(driver, result, "cuOccupancyMaxActiveClusters");
}

Error check_resident(const Device& device, const Manifest& manifest, std::int64_t ctas) {
  if (ctas < static_cast<std::int64_t>(manifest.cluster_ctas())) {
    return failure(WARPCC_WRONG_DEVICE, "not one cluster of " + std::to_string(manifest.cluster_ctas()) + " CTAs of `" +
                                            manifest.entry + "` fits on " + device.name);
  }
  // Memory that is kept holds flags that CTAs wait for: a CTA that is not there yet would be waited for for ever.
  if (!manifest.kept.empty() && ctas < static_cast<std::int64_t>(manifest.ctas())) {
    return failure(
        WARPCC_WRONG_DEVICE,
        "the CTAs of `" + manifest.entry + "` wait for each other, so all " + std::to_string(manifest.ctas()) +
            " must be on the GPU at once; " + device.name + " holds " + std::to_string(ctas) +
            ": compile it for as many SMs as there are (-D sms=" + std::to_string(device.multiprocessors) + ")");
  }
  return success();
}

}  // namespace warpcc::runtime
