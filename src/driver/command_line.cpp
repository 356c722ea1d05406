#include "driver/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace warpcc::driver {
namespace {

bool is_long(std::string_view option) {
  return option.starts_with("--");
}

// An argument taken apart: the option, and its value where that is attached.
struct Taken {
  const Option* option = nullptr;
  std::optional<std::string> attached;
};

std::optional<Taken> take_apart(const Command& command, std::string_view argument) {
  std::string_view name = argument;
  std::optional<std::string> attached;
  if (is_long(argument)) {
    if (std::size_t equals = argument.find('='); equals != std::string_view::npos) {
      name = argument.substr(0, equals);
      attached = argument.substr(equals + 1);
    }
  } else if (argument.size() > 2) {
    name = argument.substr(0, 2);
    attached = argument.substr(2);
  }
  for (const Option& option : command.options) {
    bool is_this = option.name == name && (!attached || is_long(name) || !option.value.empty());
    if (is_this) return Taken{&option, attached};
  }
  return std::nullopt;
}

llvm::Error unknown_option(const Command& command, std::string_view argument) {
  std::vector<std::string_view> names{"--help"};
  for (const Option& option : command.options) names.push_back(option.name);
  std::string_view name = argument.substr(0, argument.find('='));
  return wrong(fmt::format("unknown option `{}`{}", name, suggestion(name, names)));
}

llvm::Error check_inputs(const Command& command, llvm::ArrayRef<std::string> inputs) {
  if (inputs.size() > 1 && !command.several_inputs) {
    return wrong(fmt::format("`{}` and `{}`: one input at a time", inputs[0], inputs[1]));
  }
  if (inputs.empty()) return wrong(fmt::format("no input; usage: {}", command.usage));
  if (llvm::is_contained(inputs, "")) return wrong("the input's name is empty");
  return llvm::Error::success();
}

}  // namespace

bool Invocation::has(std::string_view option) const {
  return value(option).has_value();
}

std::optional<std::string> Invocation::value(std::string_view option) const {
  for (const auto& [name, value] : given) {
    if (name == option) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Invocation::values(std::string_view option) const {
  std::vector<std::string> all;
  for (const auto& [name, value] : given) {
    if (name == option) all.push_back(value);
  }
  return all;
}

llvm::Error wrong(std::string words) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), std::move(words));
}

std::string suggestion(std::string_view word, llvm::ArrayRef<std::string_view> candidates) {
  if (word.size() < 3) return "";
  unsigned most = word.size() > 4 ? 2 : 1;
  std::string_view best;
  for (std::string_view candidate : candidates) {
    unsigned distance = llvm::StringRef(word).edit_distance(candidate, /*AllowReplacements=*/true, most);
    if (distance > most) continue;
    best = candidate;
    most = distance > 0 ? distance - 1 : 0;
  }
  return best.empty() ? "" : fmt::format("; did you mean `{}`?", best);
}

llvm::Expected<Invocation> parse_arguments(const Command& command, llvm::ArrayRef<std::string> arguments) {
  Invocation invocation;
  invocation.command = &command;
  std::vector<std::string> inputs;
  bool options_end = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_end || argument.size() < 2 || argument[0] != '-') {
      inputs.push_back(argument);
      continue;
    }
    if (argument == "--" && command.takes_program && inputs.empty() && i + 1 < arguments.size()) {
      invocation.program_words.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      return invocation;
    }
    if (argument == "--") {
      options_end = true;
      continue;
    }
    std::optional<Taken> taken = take_apart(command, argument);
    if (!taken) return unknown_option(command, argument);
    const Option& option = *taken->option;
    std::string value;
    if (option.value.empty()) {
      if (taken->attached) return wrong(fmt::format("`{}` takes no value", option.name));
    } else if (taken->attached) {
      value = *taken->attached;
    } else if (++i < arguments.size()) {
      value = arguments[i];
    } else {
      return wrong(fmt::format("`{0}` needs a value: {0} {1}", option.name, option.value));
    }
    if (!option.repeats && invocation.has(option.name)) return wrong(fmt::format("`{}` is given twice", option.name));
    invocation.given.emplace_back(option.name, std::move(value));
  }
  if (!command.inputs.empty()) {
    if (llvm::Error error = check_inputs(command, inputs)) return error;
    invocation.input = inputs[0];
    invocation.inputs = std::move(inputs);
  } else if (!inputs.empty()) {
    return wrong(fmt::format("`warpcc {}` takes no input, and was given `{}`", command.name, inputs[0]));
  }
  return invocation;
}

}  // namespace warpcc::driver
