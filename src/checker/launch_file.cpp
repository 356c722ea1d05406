#include "checker/launch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checker/machine/input.h"
#include "checker/machine/numbers.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "support/words.h"

namespace warpcc::checker {

namespace {

llvm::Error wrong(std::string words) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), std::move(words));
}

constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

}  // namespace

// Reads the file's parts; the first thing wrong ends it.
class LaunchFile::Reader {
 public:
  explicit Reader(LaunchFile& file) : file_(file) {}

  llvm::Error read(const llvm::json::Object& root) {
    static constexpr std::string_view kKeys[] = {"kernel",  "grid",   "block",   "cluster",   "shared",     "sms",
                                                 "buffers", "params", "product", "dependent", "cooperative"};
    for (const auto& [key, value] : root) {
      if (std::find(std::begin(kKeys), std::end(kKeys), key.str()) == std::end(kKeys))
        return wrong(fmt::format("a launch has no `{}`", key.str()));
    }
    if (llvm::Error error = kinds(root)) return error;
    file_.kernel_ = root.getString("kernel").value_or("").str();
    if (llvm::Error error = dimensions(root, "grid", file_.launch_.grid)) return error;
    if (llvm::Error error = dimensions(root, "block", file_.launch_.block)) return error;
    if (root.get("cluster") != nullptr) file_.launch_.cluster = {1, 1, 1};
    if (llvm::Error error = dimensions(root, "cluster", file_.launch_.cluster)) return error;
    file_.launch_.dependent = root.getBoolean("dependent").value_or(false);
    file_.launch_.cooperative = root.getBoolean("cooperative").value_or(false);
    file_.launch_.dynamic_shared = root.getInteger("shared").value_or(0);
    file_.sms_ = static_cast<int>(std::clamp<std::int64_t>(root.getInteger("sms").value_or(148), 1, 1024));
    if (const llvm::json::Object* buffers = root.getObject("buffers")) {
      if (llvm::Error error = this->buffers(*buffers)) return error;
    }
    if (const llvm::json::Array* params = root.getArray("params")) {
      for (const llvm::json::Value& value : *params) {
        const llvm::json::Object* object = value.getAsObject();
        if (object == nullptr) return wrong("each of `params` is an object");
        Param param;
        if (const llvm::json::Array* list = object->getArray("pieces")) {
          if (llvm::Error error = pieces(*list, param.pieces)) return error;
        } else if (llvm::Error error = piece(*object, param.pieces)) {
          return error;
        }
        file_.params_.push_back(std::move(param));
      }
    }
    if (const llvm::json::Object* product = root.getObject("product")) return this->product(*product);
    return llvm::Error::success();
  }

 private:
  // What is another kind of value than its key wants would be taken for left out.
  llvm::Error kinds(const llvm::json::Object& object) {
    using Kind = llvm::json::Value::Kind;
    static constexpr struct {
      std::string_view key;
      Kind kind;
      std::string_view words;
    } kKinds[] = {{"kernel", Kind::String, "a string"},
                  {"buffer", Kind::String, "the name of a buffer"},
                  {"element", Kind::String, "a string"},
                  {"buffers", Kind::Object, "an object"},
                  {"map", Kind::Object, "an object"},
                  {"product", Kind::Object, "an object"},
                  {"params", Kind::Array, "a list"},
                  {"pieces", Kind::Array, "a list"},
                  {"extents", Kind::Array, "a list"},
                  {"strides", Kind::Array, "a list"},
                  {"box", Kind::Array, "a list"},
                  {"dependent", Kind::Boolean, "true or false"},
                  {"cooperative", Kind::Boolean, "true or false"},
                  {"shared", Kind::Number, "a number"},
                  {"sms", Kind::Number, "a number"},
                  {"elements", Kind::Number, "a number"},
                  {"at", Kind::Number, "a number"},
                  {"offset", Kind::Number, "a number"}};
    for (const auto& [key, kind, words] : kKinds) {
      const llvm::json::Value* value = object.get(llvm::StringRef(key));
      if (value != nullptr && (value->kind() != kind || (kind == Kind::Number && !value->getAsInteger())))
        return wrong(fmt::format("`{}` is {}{}", key, words, kind == Kind::Number ? " without a fraction" : ""));
    }
    return llvm::Error::success();
  }

  llvm::Error dimensions(const llvm::json::Object& root, llvm::StringRef key, std::array<std::uint32_t, 3>& into) {
    const llvm::json::Array* list = root.getArray(key);
    if (list == nullptr)
      return root.get(key) == nullptr ? llvm::Error::success()
                                      : wrong(fmt::format("`{}` is a list of up to three numbers", key.str()));
    if (list->size() > 3) return wrong(fmt::format("`{}` is a list of up to three numbers", key.str()));
    for (std::size_t i = 0; i < list->size(); ++i) {
      std::optional<std::int64_t> number = (*list)[i].getAsInteger();
      if (!number || *number < 1 || *number > (1 << 24))
        return wrong(fmt::format("`{}` is a list of numbers from 1 to {}", key.str(), 1 << 24));
      into[i] = static_cast<std::uint32_t>(*number);
    }
    return llvm::Error::success();
  }

  llvm::Expected<layout::Element> element(const llvm::json::Object& of) {
    std::string name = of.getString("element").value_or("f32").str();
    std::optional<layout::Element> found = layout::element_named(name);
    if (!found) return wrong(fmt::format("`{}` is no element type", name));
    return *found;
  }

  llvm::Error buffers(const llvm::json::Object& buffers) {
    std::int64_t bytes = 0;
    for (const auto& [name, value] : buffers) {
      const llvm::json::Object* object = value.getAsObject();
      if (object == nullptr) return wrong("each of `buffers` is an object");
      for (const auto& [key, inner] : *object) {
        if (key != "element" && key != "elements" && key != "fill" && key != "wanted")
          return wrong(fmt::format("a buffer has no `{}`", key.str()));
      }
      if (llvm::Error error = kinds(*object)) return error;
      Buffer buffer;
      buffer.name = name.str();
      llvm::Expected<layout::Element> type = element(*object);
      if (!type) return type.takeError();
      buffer.element = *type;
      buffer.elements = object->getInteger("elements").value_or(0);
      if (buffer.elements < 1 || buffer.elements > kMostElements)
        return wrong(fmt::format("buffer `{}` has 1 to 2^31 `elements`", buffer.name));
      bytes += buffer.elements * layout::bytes(buffer.element);
      std::string fill = object->getString("fill").value_or("none").str();
      if (const llvm::json::Object* from = object->getObject("fill")) {
        buffer.file = from->getString("file").value_or("").str();
        if (buffer.file.empty() && from->getArray("pieces") == nullptr) fill = "";
      }
      if (fill != "none" && fill != "zero" && fill != "integers")
        return wrong(fmt::format("`fill` of `{}` is none, zero, integers, {{\"file\": \"…\"}} or {{\"pieces\": […]}}",
                                 buffer.name));
      buffer.fill = fill == "zero"       ? Buffer::Fill::zero
                    : fill == "integers" ? Buffer::Fill::integers
                                         : Buffer::Fill::none;
      if (llvm::Error error = wanted(*object, buffer)) return error;
      file_.buffers_.push_back(std::move(buffer));
    }
    // In the order of their names: what a buffer holds is a function of its place among them.
    std::sort(file_.buffers_.begin(), file_.buffers_.end(),
              [](const Buffer& a, const Buffer& b) { return a.name < b.name; });
    if (bytes > (std::int64_t{8} << 30)) return wrong("more than 8 GiB of buffers");
    for (Buffer& buffer : file_.buffers_) {
      const llvm::json::Object* fill = buffers.getObject(buffer.name)->getObject("fill");
      const llvm::json::Array* list = fill == nullptr ? nullptr : fill->getArray("pieces");
      if (list == nullptr) continue;
      if (llvm::Error error = pieces(*list, buffer.pieces)) return error;
    }
    return llvm::Error::success();
  }

  // What a buffer must hold at the end.
  llvm::Error wanted(const llvm::json::Object& of, Buffer& buffer) {
    if (of.get("wanted") == nullptr) return llvm::Error::success();
    const llvm::json::Object* object = of.getObject("wanted");
    Wanted wanted;
    if (object != nullptr) {
      wanted.file = object->getString("file").value_or("").str();
      wanted.within = object->get("within") == nullptr ? 0 : object->getNumber("within").value_or(-1);
    }
    if (wanted.file.empty() || !(wanted.within >= 0))
      return wrong(fmt::format("`wanted` of `{}` is {{\"file\": \"…\", \"within\": 0.01}}", buffer.name));
    buffer.wanted = std::move(wanted);
    return llvm::Error::success();
  }

  llvm::Expected<int> buffer(const llvm::json::Object& of, llvm::StringRef key) {
    std::string name = of.getString(key).value_or("").str();
    for (std::size_t i = 0; i < file_.buffers_.size(); ++i) {
      if (file_.buffers_[i].name == name) return static_cast<int>(i);
    }
    return wrong(fmt::format("`{}` is no buffer of the launch", name));
  }

  llvm::Expected<std::vector<std::int64_t>> numbers(const llvm::json::Object& of, llvm::StringRef key,
                                                    std::int64_t least = 0) {
    std::vector<std::int64_t> result;
    if (const llvm::json::Array* list = of.getArray(key)) {
      for (const llvm::json::Value& each : *list) {
        std::optional<std::int64_t> number = each.getAsInteger();
        if (!number || *number < least) return wrong(fmt::format("`{}` is a list of numbers", key.str()));
        result.push_back(*number);
      }
    }
    if (result.size() > 5) return wrong(fmt::format("`{}` has more than five dimensions", key.str()));
    return result;
  }

  llvm::Error pieces(const llvm::json::Array& list, std::vector<Piece>& into) {
    for (const llvm::json::Value& each : list) {
      if (each.getAsObject() == nullptr) return wrong("each of `pieces` is an object");
      if (llvm::Error error = piece(*each.getAsObject(), into)) return error;
    }
    return llvm::Error::success();
  }

  llvm::Error piece(const llvm::json::Object& object, std::vector<Piece>& into) {
    if (llvm::Error error = kinds(object)) return error;
    Piece piece;
    piece.at = object.getInteger("at").value_or(0);
    if (piece.at < 0 || piece.at > 65536) return wrong("a piece of a parameter is `at` 0 to 65536");
    auto word = [&](auto value) {
      piece.bytes.resize(sizeof value);
      std::memcpy(piece.bytes.data(), &value, sizeof value);
    };
    if (object.get("buffer") != nullptr) {
      llvm::Expected<int> of = buffer(object, "buffer");
      if (!of) return of.takeError();
      piece.buffer = *of;
      piece.offset = object.getInteger("offset").value_or(0);
    } else if (const llvm::json::Object* map = object.getObject("map")) {
      if (llvm::Error error = tensor_map(*map, piece)) return error;
    } else if (auto i32 = object.getInteger("i32")) {
      word(static_cast<std::int32_t>(*i32));
    } else if (auto i64 = object.getInteger("i64")) {
      word(static_cast<std::int64_t>(*i64));
    } else if (auto i8 = object.getInteger("i8")) {
      word(static_cast<std::int8_t>(*i8));
    } else if (auto f32 = object.getNumber("f32")) {
      word(static_cast<float>(*f32));
    } else if (auto hex = object.getString("bytes")) {
      std::string text = hex->str();
      if (text.size() % 2 != 0) return wrong("`bytes` are pairs of hexadecimal digits");
      for (std::size_t i = 0; i < text.size(); i += 2) {
        unsigned byte = 0;
        if (llvm::StringRef(text).substr(i, 2).getAsInteger(16, byte))
          return wrong("`bytes` are pairs of hexadecimal digits");
        piece.bytes.push_back(static_cast<std::uint8_t>(byte));
      }
    } else {
      return wrong("a parameter is one of `buffer`, `map`, `i8`, `i32`, `i64`, `f32`, `bytes`, or a list of `pieces`");
    }
    into.push_back(std::move(piece));
    return llvm::Error::success();
  }

  llvm::Error tensor_map(const llvm::json::Object& object, Piece& piece) {
    if (llvm::Error error = kinds(object)) return error;
    llvm::Expected<int> of = buffer(object, "buffer");
    if (!of) return of.takeError();
    piece.buffer = *of;
    TensorMapFields map;
    llvm::Expected<layout::Element> type =
        object.get("element") == nullptr
            ? llvm::Expected<layout::Element>(file_.buffers_[static_cast<std::size_t>(*of)].element)
            : element(object);
    if (!type) return type.takeError();
    map.element_bytes = layout::bytes(*type);
    map.real = *type == layout::Element::f16 || *type == layout::Element::bf16 || *type == layout::Element::f32 ||
               *type == layout::Element::tf32;
    map.brain = *type == layout::Element::bf16;
    map.has_sign = *type == layout::Element::s32 || *type == layout::Element::s8;
    for (auto [key, into] : {std::pair<const char*, std::vector<std::int64_t>*>{"extents", &map.extents},
                             {"strides", &map.strides},
                             {"box", &map.box}}) {
      llvm::Expected<std::vector<std::int64_t>> list = numbers(object, key);
      if (!list) return list.takeError();
      *into = std::move(*list);
    }
    if (const llvm::json::Object* pixels = object.getObject("pixels")) {
      if (llvm::Error error = window(*pixels, map)) return error;
    }
    const std::size_t rank = map.window ? 2 : map.extents.size();  // of the box
    if (map.extents.empty() || map.box.size() != rank || map.strides.size() + 1 != map.extents.size())
      return wrong(
          "a map has `extents`, a `box` of as many, innermost first, and `strides` in bytes of all but the innermost");
    for (std::int64_t extent : map.box) {
      if (extent < 1 || extent > (map.window && &extent != &map.box[0] ? 1024 : 256))
        return wrong("a box has 1 to 256 elements in each dimension; 1 to 256 channels of 1 to 1024 pixels");
    }
    for (std::int64_t extent : map.extents) {
      if (extent < 1 || extent > (std::int64_t{1} << 32)) return wrong("an extent is 1 to 2^32");
    }
    if (map.box[0] * map.element_bytes % 16 != 0) return wrong("a row of a box is a multiple of 16 bytes");
    piece.offset = object.getInteger("offset").value_or(0);
    map.swizzle_span = static_cast<int>(object.getInteger("swizzle").value_or(0));
    map.swizzle_atom = static_cast<int>(object.getInteger("swizzle_atom").value_or(16));
    if (map.swizzle_span != 0 && map.swizzle_span != 32 && map.swizzle_span != 64 && map.swizzle_span != 128)
      return wrong("`swizzle` is 0, 32, 64 or 128");
    piece.map = std::move(map);
    return llvm::Error::success();
  }

  // What boxes of pixels go through (`im2col`).
  llvm::Error window(const llvm::json::Object& object, TensorMapFields& map) {
    map.window.emplace();
    for (auto [key, into] : {std::pair<const char*, std::vector<std::int64_t>*>{"lower", &map.window->lower},
                             {"upper", &map.window->upper},
                             {"steps", &map.window->step}}) {
      llvm::Expected<std::vector<std::int64_t>> list = numbers(object, key, INT16_MIN);
      if (!list) return list.takeError();
      *into = std::move(*list);
      for (std::int64_t each : *into) {
        if (into->size() + 2 != map.extents.size() || each > INT16_MAX ||
            (into == &map.window->step && (each < 1 || each > 8)))
          return wrong(
              "`pixels` has `lower`, `upper` and `steps`, from 1 to 8, each of the dimensions between the first "
              "and the last");
      }
    }
    if (map.extents.size() < 3 || map.window->step.size() + 2 != map.extents.size() ||
        map.window->lower.size() != map.window->step.size() || map.window->upper.size() != map.window->step.size())
      return wrong("a map with `pixels` has 3 to 5 dimensions");
    return llvm::Error::success();
  }

  llvm::Error product(const llvm::json::Object& object) {
    Product product;
    for (auto [key, into] : {std::pair<const char*, int*>{"a", &product.a}, {"b", &product.b}, {"c", &product.c}}) {
      llvm::Expected<int> of = buffer(object, key);
      if (!of) return of.takeError();
      *into = *of;
    }
    product.m = object.getInteger("m").value_or(0);
    product.n = object.getInteger("n").value_or(0);
    product.k = object.getInteger("k").value_or(0);
    product.a_mn_major = object.getString("a_major").value_or("k") == "mn";
    product.b_mn_major = object.getString("b_major").value_or("k") == "mn";
    product.c_column_major = object.getString("c_major").value_or("n") == "m";
    auto fits = [&](int of, std::int64_t rows, std::int64_t columns) {
      return rows > 0 && columns > 0 && rows <= kMostElements / columns &&
             rows * columns <= file_.buffers_[static_cast<std::size_t>(of)].elements;
    };
    if (!fits(product.a, product.m, product.k) || !fits(product.b, product.n, product.k) ||
        !fits(product.c, product.m, product.n))
      return wrong("`product` has m, n and k from 1 on, that the buffers a, b and c hold");
    file_.product_ = product;
    return llvm::Error::success();
  }

  LaunchFile& file_;
};

llvm::Expected<LaunchFile> LaunchFile::read(std::string_view text, std::string_view folder) {
  llvm::Expected<llvm::json::Value> root = llvm::json::parse(llvm::StringRef(text.data(), text.size()));
  if (!root) return root.takeError();
  const llvm::json::Object* object = root->getAsObject();
  if (object == nullptr) return wrong("a launch is an object");
  LaunchFile file;
  file.folder_ = folder;
  if (llvm::Error error = Reader(file).read(*object)) return error;
  return file;
}

// A file beside the launch's.
llvm::Expected<std::string> LaunchFile::file_beside(const std::string& name) const {
  llvm::SmallString<256> path(folder_);
  llvm::sys::path::append(path, name);
  if (llvm::sys::path::is_absolute(name)) path = name;
  auto text = llvm::MemoryBuffer::getFile(path, false, false);
  if (!text) return wrong(fmt::format("`{}` cannot be read: {}", path.str().str(), text.getError().message()));
  return (*text)->getBuffer().str();
}

// A buffer's contents; a shorter file leaves the rest unwritten.
llvm::Error LaunchFile::load(const Buffer& buffer, Device& device, std::uint64_t address) const {
  llvm::Expected<std::string> bytes = file_beside(buffer.file);
  if (!bytes) return bytes.takeError();
  const std::int64_t room = buffer.elements * layout::bytes(buffer.element);
  if (static_cast<std::int64_t>(bytes->size()) > room)
    return wrong(fmt::format("`{}` has {} bytes, the buffer `{}` {}", buffer.file, bytes->size(), buffer.name, room));
  std::span<std::uint8_t> memory = device.memory().bytes(address, room);
  std::copy(bytes->begin(), bytes->end(), memory.begin());
  device.memory().mark_written(address, static_cast<std::int64_t>(bytes->size()));
  return llvm::Error::success();
}

// `what` is what the bytes are: a parameter, a buffer.
llvm::Error LaunchFile::put(const std::vector<Piece>& pieces, const std::vector<std::uint64_t>& addresses,
                            const std::string& what, std::span<std::uint8_t> bytes) {
  for (const Piece& piece : pieces) {
    std::vector<std::uint8_t> part = piece.bytes;
    if (piece.map) {
      TensorMapFields map = *piece.map;
      map.address = addresses[static_cast<std::size_t>(piece.buffer)] + static_cast<std::uint64_t>(piece.offset);
      std::array<std::uint8_t, 128> encoded = encode(map);
      part.assign(encoded.begin(), encoded.end());
    } else if (piece.buffer >= 0) {
      std::uint64_t address =
          addresses[static_cast<std::size_t>(piece.buffer)] + static_cast<std::uint64_t>(piece.offset);
      part.resize(8);
      std::memcpy(part.data(), &address, 8);
    }
    auto at = static_cast<std::size_t>(piece.at);
    if (at + part.size() > bytes.size())
      return wrong(fmt::format("{} has {} bytes; a piece of {} at {} leaves it", what, bytes.size(), part.size(), at));
    std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return llvm::Error::success();
}

llvm::Error LaunchFile::run(const ptx_text::Module& module, const Sources& sources, const Options& options,
                            Outcome& outcome, Diagnostics& diagnostics) const {
  const ptx_text::Function* kernel = module.entry(kernel_);
  if (kernel == nullptr) {
    std::string names;
    for (const ptx_text::Function& each : module.functions) {
      if (each.entry && each.defined) names += (names.empty() ? "" : ", ") + each.name.substr(0, 60);
    }
    return wrong(fmt::format("`{}` is not (part of) the name of one kernel alone; there are {}", kernel_, names));
  }
  if (params_.size() != kernel->params.size())
    return wrong(
        fmt::format("the kernel has {}, the launch {}", counted(kernel->params.size(), "parameter"), params_.size()));

  Device device(sms_);
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    int bytes = layout::bytes(buffer.element);
    addresses.push_back(device.memory().allocate(buffer.elements * bytes));
    if (addresses.back() == 0) return wrong("the buffers are too large");
    device.memory().find(addresses.back(), 0)->name = buffer.name;
    if (!buffer.file.empty()) {
      if (llvm::Error error = load(buffer, device, addresses.back())) return error;
      continue;
    }
    if (buffer.fill == Buffer::Fill::none) continue;
    std::span<std::uint8_t> memory = device.memory().bytes(addresses.back(), buffer.elements * bytes);
    for (std::int64_t at = 0; buffer.fill == Buffer::Fill::integers && at < buffer.elements; ++at) {
      std::uint32_t value = machine::encode_integer(
          machine::input(static_cast<std::uint32_t>(i), static_cast<std::uint64_t>(at)), buffer.element);
      std::memcpy(&memory[static_cast<std::size_t>(at * bytes)], &value, static_cast<std::size_t>(std::min(bytes, 4)));
    }
    device.memory().mark_written(addresses.back(), buffer.elements * bytes);
  }

  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].pieces.empty()) continue;
    std::span<std::uint8_t> memory =
        device.memory().bytes(addresses[i], buffers_[i].elements * layout::bytes(buffers_[i].element));
    if (llvm::Error error = put(buffers_[i].pieces, addresses, fmt::format("buffer `{}`", buffers_[i].name), memory))
      return error;
    device.memory().mark_written(addresses[i], static_cast<std::int64_t>(memory.size()));
  }

  PtxLaunch launch = launch_;
  launch.module = &module;
  launch.kernel = kernel;
  launch.sources = &sources;
  for (std::size_t i = 0; i < params_.size(); ++i) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(kernel->params[i].bytes));
    if (llvm::Error error = put(params_[i].pieces, addresses, fmt::format("parameter {}", i), bytes)) return error;
    launch.params.push_back(std::move(bytes));
  }
  if (!device.launch(launch, options, outcome, diagnostics) || outcome.hangs > 0) return llvm::Error::success();
  if (product_) compare_with_product(device, addresses, outcome);
  return compare_with_wanted(device, addresses, outcome);
}

}  // namespace warpcc::checker
