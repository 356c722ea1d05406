// What each name of a file refers to, read off its syntax tree alone: in branches that are not kept and procs that
// nobody calls too, and where the kernel has errors. What a name means is the elaboration's to say (sema/meanings.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "frontend/tree.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace warpcc::lsp {

enum class NameKind : std::uint8_t {
  module,
  param,
  constant,
  fn,
  enumeration,
  enum_case,
  structure,
  field,
  proc,
  parameter,  // of a proc, a fn, a struct
  kernel,
  global,  // a kernel's parameter
  axis,
  shared,
  tensor,
  pipe,
  barrier,
  role,
  end,
  carried,    // a tile that a proc's end is asked to carry
  registers,  // r, ur, p, up
  fragment,
  bundle,
  let,
  counter,
  variable,  // of a `for`
  binding,   // of a pattern
};

// A declaration of one of the files.
struct NameRef {
  FileId file{};
  std::int32_t index = -1;
  explicit operator bool() const { return index >= 0; }
  friend bool operator==(const NameRef&, const NameRef&) = default;
};

struct Declaration {
  NameKind kind{};
  std::string name;
  SourceRange where;         // the name
  SourceRange whole;         // what declares it
  SourceRange seen;          // where it can be named
  std::int32_t parent = -1;  // what it is a part of: a case of its enum, a parameter of its proc
  std::int32_t same = -1;    // declared in another branch before: one name, the first declaration
  std::variant<std::monostate, const tree::Use*, const tree::Param*, const tree::Const*, const tree::Fn*,
               const tree::Enum*, const tree::EnumCase*, const tree::Struct*, const tree::Typed*, const tree::Proc*,
               const tree::Formal*, const tree::Kernel*, const tree::GlobalParameter*, const tree::Buffer*,
               const tree::Pipe*, const tree::Barrier*, const tree::Role*, const tree::End*,
               const tree::RegisterDeclarator*, const tree::Regs*, const tree::Let*>
      tree;
  NameRef type{};  // what its values have parts of, as far as the text tells: an enum, a struct, an end
  std::optional<FileId> module{};
  std::optional<tree::RegisterKind> registers{};
};

struct NameUse {
  SourceRange where;
  NameRef of;
  bool writes = false;
};

class Names {
 public:
  // The names of the other files, by their ids; and which file a `use` names.
  struct Others {
    llvm::function_ref<const Names*(FileId)> names;
    llvm::function_ref<std::optional<FileId>(FileId, const std::string&)> used;
  };

  static std::shared_ptr<const Names> read(FileId file, std::shared_ptr<const tree::File> tree, std::string_view text,
                                           Others others);

  FileId file() const { return file_; }
  const tree::File& tree() const { return *tree_; }
  const std::vector<Declaration>& declarations() const { return declarations_; }
  const std::vector<NameUse>& uses() const { return uses_; }  // by place
  const Declaration& operator[](std::int32_t index) const { return declarations_[static_cast<std::size_t>(index)]; }

  // What the name at a place of the file refers to, or declares.
  NameRef at(std::uint32_t offset, SourceRange* where = nullptr) const;
  // The item of this name, as `module.name` finds it.
  NameRef item(std::string_view name) const;
  // A part of a declaration by its name: a case, a field.
  NameRef part(std::int32_t parent, std::string_view name) const;
  const std::vector<std::int32_t>& parts(std::int32_t parent) const;
  // The first declaration of what is one name.
  NameRef first(NameRef ref) const;

 private:
  friend class Resolver;

  FileId file_{};
  std::shared_ptr<const tree::File> tree_;
  std::vector<Declaration> declarations_;
  std::vector<NameUse> uses_;
  std::map<std::string, std::int32_t, std::less<>> items_;
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> parts_;  // by what they are parts of
};

// The lines of a comment right above a place, or behind it on its line: what belongs to a declaration.
std::string comment_of(std::string_view text, SourceRange where);

}  // namespace warpcc::lsp
