#include "sema/values.h"

#include <fmt/format.h>

namespace warpcc::sema {
namespace {

constexpr std::size_t kLongestShown = 160;

bool equal_lists(const Values& left, const Values& right, std::int64_t& budget, bool& comparable) {
  const std::size_t count = left ? left->size() : 0;
  if (count != (right ? right->size() : 0)) return false;
  if (left == right) return true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<bool> same = equal((*left)[i], (*right)[i], budget);
    if (!same) comparable = false;
    if (!same || !*same) return false;
  }
  return true;
}

void show_into(std::string& out, const Value& value);

std::string show_layout(const LayoutDescription& layout) {
  std::string text = layout.map.text();
  if (layout.kept) text = layout.kept->outer().text() + " after " + layout.kept->inner().text();
  if (layout.order == LayoutDescription::Order::last_fastest) text = "row_major";
  if (layout.order == LayoutDescription::Order::first_fastest) text = "col_major";
  if (layout.swizzle_span != 0) text += fmt::format(".swizzle({})", layout.swizzle_span);
  return text;
}

void show_list(std::string& out, const Values& values) {
  out += '(';
  for (std::size_t i = 0; values && i < values->size() && out.size() < kLongestShown; ++i) {
    if (i > 0) out += ", ";
    show_into(out, (*values)[i]);
  }
  out += ')';
}

void show_into(std::string& out, const Value& value) {
  if (out.size() > kLongestShown) return;
  if (auto* integer = value.get<std::int64_t>())
    out += std::to_string(*integer);
  else if (auto* boolean = value.get<bool>())
    out += *boolean ? "true" : "false";
  else if (auto* text = value.get<Text>())
    out += '"' + text->value.substr(0, kLongestShown) + '"';
  else if (auto* type = value.get<Type>())
    out += show(*type);
  else if (auto* target = value.get<isa::Target>())
    out += isa::name(*target);
  else if (auto* tuple = value.get<Tuple>())
    show_list(out, tuple->elements);
  else if (auto* layout = value.get<LayoutRef>())
    out += show_layout(**layout);
  else if (auto* a_case = value.get<Case>()) {
    out += a_case->of.tree->cases[a_case->which].name.text;
    if (a_case->payload) show_list(out, a_case->payload);
  } else if (auto* record = value.get<Record>()) {
    out += record->of.tree->name.text;
    show_list(out, record->fields);
  } else {
    out += "…";
  }
}

}  // namespace

std::optional<bool> equal(const Value& left, const Value& right, std::int64_t& budget) {
  if (--budget < 0 || left.is.index() != right.is.index()) return std::nullopt;
  bool comparable = true, same = false;
  if (auto* integer = left.get<std::int64_t>())
    same = *integer == *right.get<std::int64_t>();
  else if (auto* boolean = left.get<bool>())
    same = *boolean == *right.get<bool>();
  else if (auto* text = left.get<Text>())
    same = text->value == right.get<Text>()->value;
  else if (auto* type = left.get<Type>())
    same = equal(*type, *right.get<Type>(), budget);
  else if (auto* target = left.get<isa::Target>())
    same = *target == *right.get<isa::Target>();
  else if (auto* tuple = left.get<Tuple>())
    same = equal_lists(tuple->elements, right.get<Tuple>()->elements, budget, comparable);
  else if (auto* a_case = left.get<Case>()) {
    const Case& other = *right.get<Case>();
    if (a_case->of != other.of) return std::nullopt;
    same = a_case->which == other.which && equal_lists(a_case->payload, other.payload, budget, comparable);
  } else if (auto* record = left.get<Record>()) {
    const Record& other = *right.get<Record>();
    if (record->of != other.of) return std::nullopt;
    same = equal_lists(record->fields, other.fields, budget, comparable);
  } else if (auto* layout = left.get<LayoutRef>()) {
    const LayoutDescription &a = **layout, &b = **right.get<LayoutRef>();
    if (a.kept || b.kept || a.restricted || b.restricted) return std::nullopt;
    same = a.order == b.order && a.swizzle_span == b.swizzle_span &&
           layout::canonical(a.map) == layout::canonical(b.map) && a.map.shape() == b.map.shape();
  } else {
    return std::nullopt;
  }
  if (!comparable) return std::nullopt;
  return same;
}

bool equal(const Type& left, const Type& right, std::int64_t& budget) {
  if (--budget < 0 || left.kind != right.kind || left.elements.size() != right.elements.size()) return false;
  for (std::size_t i = 0; i < left.elements.size(); ++i) {
    if (!equal(left.elements[i], right.elements[i], budget)) return false;
  }
  switch (left.kind) {
    case Type::Kind::element:
      return left.element == right.element;
    case Type::Kind::enum_:
      return left.enum_ == right.enum_;
    case Type::Kind::struct_: {
      bool comparable = true;
      return left.struct_ == right.struct_ && equal_lists(left.arguments, right.arguments, budget, comparable);
    }
    default:
      return true;
  }
}

bool is_constant(const Value& value) {
  return value.has<std::int64_t>() || value.has<bool>() || value.has<Text>() || value.has<Type>() ||
         value.has<isa::Target>() || value.has<Tuple>() || value.has<Case>() || value.has<Record>() ||
         value.has<LayoutRef>();
}

std::string show(const Value& value) {
  std::string out;
  show_into(out, value);
  if (out.size() > kLongestShown) out = out.substr(0, kLongestShown) + "…";
  return out;
}

std::string show(const Type& type) {
  switch (type.kind) {
    case Type::Kind::integer:
      return "int";
    case Type::Kind::boolean:
      return "bool";
    case Type::Kind::string:
      return "string";
    case Type::Kind::type:
      return "type";
    case Type::Kind::index:
      return "index";
    case Type::Kind::element:
      return std::string(layout::name(type.element));
    case Type::Kind::tuple: {
      std::string out = "(";
      for (const Type& element : type.elements) {
        if (out.size() > kLongestShown) return out + "…";
        out += (out.size() > 1 ? ", " : "") + show(element);
      }
      return out + ")";
    }
    case Type::Kind::enum_:
      return type.enum_.tree->name.text;
    case Type::Kind::struct_:
      return type.struct_.tree->name.text;
    case Type::Kind::layout_logical:
      return "layout logical";
    case Type::Kind::layout_tv:
      return "layout tv";
    case Type::Kind::layout_physical:
      return "layout physical";
    case Type::Kind::any:
      break;
  }
  return "any";
}

namespace {

std::string describe_register(const RegisterRef& reg) {
  const int count = reg.operand.count;
  const std::string many = count > 1 ? fmt::format("a group of {} ", count) : "";
  switch (reg.file) {
    case isa::File::r:
      return count > 1 ? many + "general registers (`r`)" : "a general register (`r`)";
    case isa::File::ur:
      return count > 1 ? many + "uniform registers (`ur`)" : "uniform (`ur`)";
    case isa::File::p:
      return "a predicate a lane (`p`)";
    case isa::File::up:
      return "a uniform predicate (`up`)";
  }
  return "a register";
}

std::string describe_view(const ViewRef& ref, const kernel::Kernel& kernel) {
  const kernel::Buffer& buffer = kernel[ref.view.buffer];
  const char* place = buffer.space == kernel::MemorySpace::shared   ? "shared memory"
                      : buffer.space == kernel::MemorySpace::tensor ? "tensor memory"
                                                                    : "global memory";
  if (ref.ring_open) return fmt::format("a ring of tiles of {} in {}", layout::name(buffer.element), place);
  return fmt::format("a {} of {} in {}", buffer.space == kernel::MemorySpace::global ? "view" : "tile",
                     layout::name(buffer.element), place);
}

}  // namespace

std::string describe(const Value& value, const kernel::Kernel& kernel) {
  if (auto* reg = value.get<RegisterRef>()) return describe_register(*reg);
  if (auto* view = value.get<ViewRef>()) return describe_view(*view, kernel);
  if (value.has<std::int64_t>()) return "an integer";
  if (value.has<bool>()) return "a bool";
  if (value.has<Text>()) return "a string";
  if (value.has<Type>()) return "a type";
  if (value.has<isa::Target>()) return "a target";
  if (value.has<Tuple>()) return "a tuple";
  if (auto* a_case = value.get<Case>()) return fmt::format("a case of `{}`", a_case->of.tree->name.text);
  if (auto* record = value.get<Record>()) return fmt::format("a `{}`", record->of.tree->name.text);
  if (auto* layout = value.get<LayoutRef>()) {
    if ((*layout)->restricted) return "a restricted layout";
    switch ((*layout)->says) {
      case Type::Kind::layout_logical:
        return "a logical layout";
      case Type::Kind::layout_tv:
        return "a thread-value layout";
      case Type::Kind::layout_physical:
        return "a physical layout";
      default:
        return "a layout";
    }
  }
  if (value.has<kernel::Index>() || value.has<AxisRef>()) return "an index";
  if (value.has<kernel::Facts>()) return "a fact";
  if (value.has<FragmentRef>()) return "a fragment";
  if (auto* bundle = value.get<BundleRef>())
    return fmt::format("a bundle of registers, `{}`", bundle->bundle->of.tree->name.text);
  if (value.has<CounterRef>()) return "a counter";
  if (value.has<MoreRef>()) return "a counter's `more`";
  if (value.has<PipeRef>()) return "a pipe";
  if (auto* end = value.get<EndRef>()) {
    return kernel[end->id].side == kernel::Side::producer ? "a producer's end" : "a consumer's end";
  }
  if (value.has<LastRef>()) return "the stage that is held, with its barrier `empty`";
  if (value.has<NamedBarrierRef>()) return "a named barrier";
  if (auto* barrier = value.get<BarrierRef>()) {
    if (barrier->operand.is_named()) return "a named barrier";
    return barrier->open ? "the barriers of a pipe" : "a barrier";
  }
  if (value.has<BlockRef>()) return "a block";
  if (value.has<Module*>()) return "a module";
  if (value.has<FnRef>() || value.has<Builtin>()) return "a compile-time function";
  if (value.has<ProcRef>()) return "a proc";
  if (value.has<EnumRef>()) return "an enum";
  if (value.has<StructRef>()) return "a struct";
  if (value.has<KernelRef>()) return "a kernel";
  return "nothing";
}

}  // namespace warpcc::sema
