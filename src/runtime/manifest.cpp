#include "runtime/manifest.h"

#include <algorithm>
#include <cmath>

#include "runtime/json.h"

namespace warpcc::runtime {
namespace {

struct ElementRow {
  std::string_view name;
  int bytes;
};
constexpr ElementRow kElements[] = {{"any", 0},    {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"tf32", 4}, {"f8e4m3", 1},
                                    {"f8e5m2", 1}, {"s8", 1},  {"u8", 1},   {"s32", 4}, {"u32", 4},  {"u64", 8}};

constexpr double kLargest = 9007199254740992.0;  // 2^53: up to here a number of JSON is an integer exactly
constexpr std::size_t kParameterBytes = 4096;    // of a kernel, at most (CUDA programming guide; 32764 from 12.1 on)
constexpr std::size_t kMapBytes = 128, kPointerBytes = 8;

// Reads the members of one object of the manifest; the first that is wrong is remembered with its place.
class Members {
 public:
  Members(const Json& json, std::string place, Error& error) : json_(json), place_(std::move(place)), error_(error) {}

  std::string text(std::string_view key) {
    const Json* at = get(key);
    const std::string* text = at ? at->string() : nullptr;
    if (text == nullptr || text->empty()) return wrong(key, "a word"), std::string();
    return *text;
  }
  bool flag(std::string_view key, bool otherwise) {
    const Json* at = json_.member(key);
    if (at == nullptr) return otherwise;
    if (at->boolean() == nullptr) return wrong(key, "true or false"), otherwise;
    return *at->boolean();
  }
  std::int64_t number(std::string_view key, double least, double most) {
    const Json* at = get(key);
    return at ? integer(*at, key, least, most) : 0;
  }
  std::vector<std::int64_t> numbers(std::string_view key, double least, double most) {
    std::vector<std::int64_t> all;
    const Json* at = get(key);
    if (at == nullptr) return all;
    if (at->array() == nullptr) return wrong(key, "a list of numbers"), all;
    for (const Json& each : *at->array()) all.push_back(integer(each, key, least, most));
    return all;
  }
  // Three numbers, as of a grid.
  std::array<unsigned, 3> three(std::string_view key, double most) {
    std::vector<std::int64_t> all = numbers(key, 1, most);
    if (all.size() != 3) return wrong(key, "three numbers"), std::array<unsigned, 3>{1, 1, 1};
    return {static_cast<unsigned>(all[0]), static_cast<unsigned>(all[1]), static_cast<unsigned>(all[2])};
  }
  // Null where the program does not say.
  warpcc_element element(std::string_view key) {
    const Json* at = json_.member(key);
    if (at == nullptr || at->is_null()) return WARPCC_ANY;
    for (std::size_t i = 1; at->string() && i < std::size(kElements); ++i) {
      if (*at->string() == kElements[i].name) return static_cast<warpcc_element>(i);
    }
    return wrong(key, "an element type, as \"f16\""), WARPCC_ANY;
  }
  template <typename Each>
  void each(std::string_view key, bool needed, Each&& visit) {
    const Json* at = needed ? get(key) : json_.member(key);
    if (at == nullptr) return;
    if (at->array() == nullptr) return wrong(key, "a list");
    for (std::size_t i = 0; i < at->array()->size(); ++i) {
      Members members((*at->array())[i], place_ + std::string(key) + "[" + std::to_string(i) + "].", error_);
      visit(members);
    }
  }
  void wrong(std::string_view key, std::string_view wanted) {
    if (!error_) {
      error_ = failure(WARPCC_BAD_FILE,
                       "`" + place_ + std::string(key) + "` is missing or wrong: wanted is " + std::string(wanted));
    }
  }

 private:
  const Json* get(std::string_view key) {
    const Json* at = json_.member(key);
    if (at == nullptr) wrong(key, "such a member");
    return at;
  }
  std::int64_t integer(const Json& json, std::string_view key, double least, double most) {
    const double* number = json.number();
    if (number == nullptr || !(*number >= least && *number <= most) || std::floor(*number) != *number) {
      wrong(key, "whole numbers from " + std::to_string(static_cast<std::int64_t>(least)) + " to " +
                     std::to_string(static_cast<std::int64_t>(most)));
      return static_cast<std::int64_t>(least);
    }
    return static_cast<std::int64_t>(*number);
  }

  const Json& json_;
  std::string place_;
  Error& error_;
};

void read_parameter(Members& members, Manifest& manifest) {
  Parameter parameter;
  std::string kind = members.text("kind");
  parameter.name = members.text("name");
  parameter.offset = static_cast<std::size_t>(members.number("offset", 0, kParameterBytes));
  parameter.size = static_cast<std::size_t>(members.number("size", 1, kParameterBytes));
  parameter.kind = kind == "tensor_map" ? Parameter::Kind::tensor_map : Parameter::Kind::pointer;
  bool is_map = parameter.kind == Parameter::Kind::tensor_map;
  if (!is_map && kind != "pointer") members.wrong("kind", "`pointer` or `tensor_map`");
  if (parameter.size != (is_map ? kMapBytes : kPointerBytes)) members.wrong("size", is_map ? "128" : "8");
  manifest.parameters.push_back(std::move(parameter));
}

// What cuTensorMapEncodeTiled takes (CUDA driver API, Tensor Map Object Management).
void check_box(Members& members, const TensorMap& map) {
  std::int64_t inner = map.box.empty() ? 0 : map.box.back() * map.element_bytes;
  if (inner % 16 != 0) members.wrong("box", "an innermost extent of a multiple of 16 bytes");
  if (map.swizzle != 0 && inner > map.swizzle)
    members.wrong("box", "an innermost extent of at most the swizzle's span");
}

void read_map(Members& members, Manifest& manifest) {
  TensorMap map;
  map.name = members.text("name");
  map.tensor = members.text("tensor");
  map.element = members.element("element");
  map.element_bytes = static_cast<int>(members.number("element_bytes", 1, 8));
  map.extents = members.numbers("extents", 1, 4294967296.0);
  map.strides = members.numbers("strides", 1, kLargest);
  map.box = members.numbers("box", 1, 256);
  map.swizzle = static_cast<int>(members.number("swizzle", 0, 128));
  std::size_t rank = map.extents.size();
  if (rank < 1 || rank > 5) members.wrong("extents", "one to five numbers");
  if (map.strides.size() != rank) members.wrong("strides", "as many numbers as `extents` has");
  if (map.box.size() != rank) members.wrong("box", "as many numbers as `extents` has");
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128) {
    members.wrong("swizzle", "0, 32, 64 or 128");
  }
  if (map.element_bytes != 1 && map.element_bytes != 2 && map.element_bytes != 4 && map.element_bytes != 8) {
    members.wrong("element_bytes", "1, 2, 4 or 8");
  }
  check_box(members, map);
  manifest.maps.push_back(std::move(map));
}

void read_tensor(Members& members, Manifest& manifest) {
  Tensor tensor;
  tensor.name = members.text("name");
  tensor.element = members.element("element");
  tensor.element_bytes = element_bytes(tensor.element);
  tensor.shape = members.numbers("shape", 1, kLargest);
  tensor.strides = members.numbers("strides", 0, kLargest);
  tensor.written = members.flag("written", false);
  if (tensor.strides.size() != tensor.shape.size()) members.wrong("strides", "as many numbers as `shape` has");
  manifest.tensors.push_back(std::move(tensor));
}

// Parameters name maps, kept buffers and tensors that there are, and maps name tensors.
Error tie(Manifest& manifest) {
  for (const TensorMap& map : manifest.maps) {
    auto tensor = std::find_if(manifest.tensors.begin(), manifest.tensors.end(),
                               [&](const Tensor& each) { return each.name == map.tensor; });
    if (tensor == manifest.tensors.end()) {
      return failure(WARPCC_BAD_FILE, "`tensor_maps` shows `" + map.tensor + "`, which is none of `tensors`");
    }
    tensor->by_map = true;
    if (tensor->element_bytes == 0) tensor->element_bytes = map.element_bytes;
    if (tensor->element_bytes != map.element_bytes) {
      return failure(WARPCC_BAD_FILE, "`" + map.name + "` has other elements than its tensor `" + map.tensor + "`");
    }
  }
  for (const Parameter& parameter : manifest.parameters) {
    if (parameter.kind == Parameter::Kind::tensor_map) {
      if (manifest.map_named(parameter.name)) continue;
      return failure(WARPCC_BAD_FILE, "the parameter `" + parameter.name + "` is none of `tensor_maps`");
    }
    if (manifest.kept_named(parameter.name)) continue;
    auto tensor = std::find_if(manifest.tensors.begin(), manifest.tensors.end(),
                               [&](const Tensor& each) { return each.name == parameter.name; });
    if (tensor == manifest.tensors.end()) {
      return failure(WARPCC_BAD_FILE, "the parameter `" + parameter.name + "` is none of `tensors` and `kept`");
    }
    tensor->by_pointer = true;
  }
  return success();
}

Error check_sizes(const Manifest& manifest) {
  auto product = [](const std::array<unsigned, 3>& all) { return std::uint64_t{all[0]} * all[1] * all[2]; };
  if (product(manifest.block) > 1024) return failure(WARPCC_BAD_FILE, "`block` has more than 1024 threads");
  if (product(manifest.cluster) > 16) return failure(WARPCC_BAD_FILE, "`cluster` has more than 16 CTAs");
  if (product(manifest.grid) > 0x7fffffff) return failure(WARPCC_BAD_FILE, "`grid` has more than 2^31 - 1 CTAs");
  for (std::size_t i = 0; i < 3; ++i) {
    if (manifest.grid[i] % manifest.cluster[i] != 0) {
      return failure(WARPCC_BAD_FILE, "`grid` is not whole clusters");
    }
  }
  return success();
}

template <typename All>
auto named(const All& all, std::string_view name) -> decltype(all.data()) {
  auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string_view element_name(warpcc_element element) {
  return static_cast<std::size_t>(element) < std::size(kElements) ? kElements[element].name : "?";
}
int element_bytes(warpcc_element element) {
  return static_cast<std::size_t>(element) < std::size(kElements) ? kElements[element].bytes : 0;
}

const Kept* Manifest::kept_named(std::string_view name) const {
  auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& each) { return each.tensor == name; });
  return found == kept.end() ? nullptr : &*found;
}
const Tensor* Manifest::tensor_named(std::string_view name) const {
  return named(tensors, name);
}
const TensorMap* Manifest::map_named(std::string_view name) const {
  return named(maps, name);
}

Error read_manifest(std::string_view text, Manifest& manifest) {
  Json json;
  if (Error error = parse_json(text, json)) return error;
  if (json.object() == nullptr) return failure(WARPCC_BAD_FILE, "no manifest: wanted is an object");
  Error error;
  Members members(json, "", error);
  manifest.text = text;
  manifest.entry = members.text("entry");
  manifest.target = members.text("target");
  manifest.grid = members.three("grid", 0x7fffffff);
  manifest.cluster = members.three("cluster", 16);
  manifest.block = members.three("block", 1024);
  manifest.shared_bytes = static_cast<unsigned>(members.number("shared_bytes", 0, 1 << 20));
  manifest.waits_for_grid_before = members.flag("waits_for_grid_before", false);
  members.each("parameters", true, [&](Members& each) { read_parameter(each, manifest); });
  members.each("tensors", true, [&](Members& each) { read_tensor(each, manifest); });
  members.each("tensor_maps", true, [&](Members& each) { read_map(each, manifest); });
  members.each("kept", false, [&](Members& each) {
    Kept kept;
    kept.tensor = each.text("tensor");
    kept.bytes = each.number("bytes", 1, 1 << 30);
    manifest.kept.push_back(std::move(kept));
  });
  if (error) return error;
  if (Error wrong = check_sizes(manifest)) return wrong;
  return tie(manifest);
}

}  // namespace warpcc::runtime
