#include "standin/record.h"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "support/files.h"

namespace warpcc::standin {

namespace {

using checker::DeviceMemory;

// The buffers that a launch's parameters point into, by where they begin.
class Recorder {
  struct Element {
    std::string name;
    int bytes;
  };

 public:
  Recorder(const std::string& folder, unsigned number, const checker::PtxLaunch& launch, DeviceMemory& memory)
      : folder_(folder), number_(number), launch_(launch), memory_(memory) {}

  llvm::Error write() {
    llvm::json::Array params;
    for (const std::vector<std::uint8_t>& param : launch_.params) params.push_back(pieces(param));
    llvm::json::Object buffers;
    for (const auto& [begin, name] : buffers_) {
      DeviceMemory::Allocation* of = memory_.find(begin, 0);
      const Element element = elements_.count(begin) > 0 ? elements_[begin] : Element{"u8", 1};
      llvm::json::Object buffer{{"element", element.name},
                                {"elements", static_cast<std::int64_t>(of->bytes.size()) / element.bytes}};
      bool written = of->unwritten == 0;
      for (bool each : of->written) written = written || each;
      if (written) {
        std::string file = fmt::format("launch-{}-{}.bin", number_, name);
        if (llvm::Error error =
                put(file, llvm::StringRef(reinterpret_cast<const char*>(of->bytes.data()), of->bytes.size())))
          return error;
        buffer["fill"] = llvm::json::Object{{"file", file}};
      }
      buffers[name] = std::move(buffer);
    }
    auto three = [](const std::array<std::uint32_t, 3>& of) { return llvm::json::Array{of[0], of[1], of[2]}; };
    llvm::json::Object root{{"kernel", launch_.kernel->name}, {"grid", three(launch_.grid)},
                            {"block", three(launch_.block)},  {"shared", launch_.dynamic_shared},
                            {"buffers", std::move(buffers)},  {"params", std::move(params)}};
    if (launch_.cluster[0] > 0) root["cluster"] = three(launch_.cluster);
    if (launch_.cooperative) root["cooperative"] = true;
    return put(fmt::format("launch-{}.json", number_),
               llvm::formatv("{0:2}\n", llvm::json::Value(std::move(root))).str());
  }

 private:
  llvm::Error put(const std::string& name, llvm::StringRef text) {
    return write_whole({{folder_ + "/" + name, text.str()}});
  }
  std::string name_of(const DeviceMemory::Allocation& of) {
    auto [entry, fresh] = buffers_.try_emplace(of.begin, "");
    if (fresh) entry->second = fmt::format("b{}", buffers_.size());
    return entry->second;
  }
  llvm::json::Object pieces(const std::vector<std::uint8_t>& param) {
    llvm::json::Array list;
    std::size_t plain = 0;
    auto flush = [&](std::size_t end) {
      if (end > plain)
        list.push_back(llvm::json::Object{
            {"at", plain}, {"bytes", llvm::toHex(llvm::ArrayRef(param).slice(plain, end - plain), true)}});
    };
    for (std::size_t at = 0; at + 8 <= param.size();) {
      llvm::json::Object piece;
      std::size_t bytes = 0;
      std::optional<checker::TensorMapFields> map;
      if (at % 64 == 0 && at + 128 <= param.size())
        map = checker::decode_tensor_map(std::span<const std::uint8_t>(param).subspan(at, 128));
      std::uint64_t address = 0;
      std::memcpy(&address, &param[at], 8);
      if (map) {
        if (DeviceMemory::Allocation* of = memory_.find(map->address, 0)) {
          piece = llvm::json::Object{{"map", describe(*map, *of)}};
          bytes = 128;
        }
      } else if (memory_.owns(address)) {
        if (DeviceMemory::Allocation* of = memory_.find(address, 0)) {
          piece = llvm::json::Object{{"buffer", name_of(*of)}};
          if (address != of->begin) piece["offset"] = static_cast<std::int64_t>(address - of->begin);
          bytes = 8;
        }
      }
      if (bytes == 0) {
        at += 8;
        continue;
      }
      flush(at);
      piece["at"] = at;
      list.push_back(std::move(piece));
      at += bytes;
      plain = at;
    }
    flush(param.size());
    return llvm::json::Object{{"pieces", std::move(list)}};
  }

  llvm::json::Object describe(const checker::TensorMapFields& map, const DeviceMemory::Allocation& of) {
    // Elements that are moved and not added: by their size.
    std::string type = map.brain                ? "bf16"
                       : map.element_bytes == 1 ? "u8"
                       : map.element_bytes == 2 ? "f16"
                       : map.real               ? "f32"
                       : map.has_sign           ? "s32"
                                                : "u32";
    if (map.element_bytes <= 4) elements_[of.begin] = {type, map.element_bytes};
    llvm::json::Object result{{"buffer", name_of(of)},
                              {"element", type},
                              {"extents", llvm::json::Array(map.extents)},
                              {"strides", llvm::json::Array(map.strides)},
                              {"box", llvm::json::Array(map.box)},
                              {"swizzle", map.swizzle_span}};
    if (map.address != of.begin) result["offset"] = static_cast<std::int64_t>(map.address - of.begin);
    if (map.swizzle_atom != 16) result["swizzle_atom"] = map.swizzle_atom;
    if (map.window) {
      result["pixels"] = llvm::json::Object{{"lower", llvm::json::Array(map.window->lower)},
                                            {"upper", llvm::json::Array(map.window->upper)},
                                            {"steps", llvm::json::Array(map.window->step)}};
    }
    return result;
  }

  const std::string& folder_;
  unsigned number_;
  const checker::PtxLaunch& launch_;
  DeviceMemory& memory_;
  std::map<std::uint64_t, std::string> buffers_;
  std::map<std::uint64_t, Element> elements_;  // of buffers that tensor maps describe; the others are bytes
};

}  // namespace

llvm::Error record(const std::string& folder, unsigned number, const checker::PtxLaunch& launch,
                   checker::DeviceMemory& memory) {
  return Recorder(folder, number, launch, memory).write();
}

}  // namespace warpcc::standin
