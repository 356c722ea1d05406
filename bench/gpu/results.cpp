#include "results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace warpcc::bench {
namespace {

using runtime::Json;

Json number(double value) {
  return Json(value);
}

Json numbers(const std::vector<double>& values) {
  Json::Array all;
  for (double value : values) all.push_back(number(value));
  return Json(std::move(all));
}

Json slots(const Slots& slots) {
  Json::Object object;
  object.emplace_back("isolated", numbers(slots.sum));
  object.emplace_back("isolated_span", numbers(slots.span));
  object.emplace_back("graph", numbers(slots.graph));
  if (!slots.dependent.empty()) object.emplace_back("graph_dependent", numbers(slots.dependent));
  return Json(std::move(object));
}

Json geometry(const Geometry& geometry) {
  Json::Object object;
  object.emplace_back("kernel", Json(geometry.kernel));
  object.emplace_back("grid", numbers({double(geometry.grid[0]), double(geometry.grid[1]), double(geometry.grid[2])}));
  object.emplace_back("cluster", number(geometry.cluster));
  object.emplace_back("threads", number(geometry.threads));
  object.emplace_back("shared_bytes", number(geometry.shared_bytes));
  object.emplace_back("registers", number(geometry.registers));
  object.emplace_back("waves", number(geometry.waves));
  object.emplace_back("kernels", number(static_cast<double>(geometry.kernels)));
  return Json(std::move(object));
}

Json machine_json(const Machine& machine) {
  Json::Object object;
  object.emplace_back("gpu", Json(machine.gpu));
  object.emplace_back("multiprocessors", number(machine.multiprocessors));
  object.emplace_back("driver", number(machine.driver));
  object.emplace_back("cublaslt", number(static_cast<double>(machine.cublaslt)));
  return Json(std::move(object));
}

void write_string(const std::string& text, std::string& out) {
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) continue;
    out += c;
  }
  out += '"';
}

// Lists of plain values on one line, the rest one member a line.
void write(const Json& json, int indent, std::string& out) {
  std::string blanks(static_cast<std::size_t>(indent) + 2, ' ');
  if (const Json::Object* object = json.object()) {
    const char* comma = "{\n";
    for (const auto& [name, value] : *object) {
      out += comma + blanks;
      write_string(name, out);
      out += ": ";
      write(value, indent + 2, out);
      comma = ",\n";
    }
    out += object->empty() ? "{}" : "\n" + std::string(static_cast<std::size_t>(indent), ' ') + "}";
  } else if (const Json::Array* array = json.array()) {
    bool is_plain =
        std::all_of(array->begin(), array->end(), [](const Json& each) { return each.object() == nullptr; });
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += is_plain ? ", " : ",";
      if (!is_plain) out += "\n" + blanks;
      write((*array)[i], indent + 2, out);
    }
    out += is_plain ? "]" : "\n" + std::string(static_cast<std::size_t>(indent), ' ') + "]";
  } else if (const std::string* text = json.string()) {
    write_string(*text, out);
  } else if (const double* value = json.number()) {
    char digits[32];
    bool is_whole = std::floor(*value) == *value && std::fabs(*value) < 1e15;
    std::snprintf(digits, sizeof digits, is_whole ? "%.0f" : "%.4f", *value);
    out += digits;
  } else {
    out += json.boolean() ? (*json.boolean() ? "true" : "false") : "null";
  }
}

// ---- Reading rows

std::vector<double> times(const Json& row, const char* arm, const char* what) {
  std::vector<double> all;
  const Json* side = row.member(arm);
  const Json* list = side ? side->member(what) : nullptr;
  if (list == nullptr || list->array() == nullptr) return all;
  for (const Json& each : *list->array()) {
    if (each.number()) all.push_back(*each.number());
  }
  return all;
}

double value(const Json* json, const char* name) {
  const Json* at = json ? json->member(name) : nullptr;
  return at && at->number() ? *at->number() : 0;
}

struct Range {
  double least = 0, most = 0;
  double middle() const { return (least + most) / 2; }
};
Range range(const std::vector<double>& values) {
  if (values.empty()) return {};
  return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

std::string text(const Range& range) {
  char digits[64];
  const char* form = range.least < 100 ? "%.2f - %.2f" : "%.1f - %.1f";
  std::snprintf(digits, sizeof digits, form, range.least, range.most);
  return range.least == 0 ? "-" : digits;
}

// How much longer cuBLASLt's fastest run takes than the middle of ours.
double ahead(const Range& ours, const Range& theirs) {
  return ours.middle() == 0 ? 0 : theirs.least / ours.middle() - 1;
}

std::string percent(double part) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%+.1f %%", part * 100);
  return digits;
}

}  // namespace

Json to_json(const Row& row) {
  Json::Object object;
  object.emplace_back("cubin", Json(row.cubin));
  object.emplace_back("hash", Json(row.hash));
  object.emplace_back("m", number(static_cast<double>(row.product.m)));
  object.emplace_back("n", number(static_cast<double>(row.product.n)));
  object.emplace_back("k", number(static_cast<double>(row.product.k)));
  object.emplace_back("element", Json(row.element));
  object.emplace_back("exact", Json(row.exact));
  if (!row.wrong.empty()) object.emplace_back("wrong", Json(row.wrong));
  object.emplace_back("warpcc", slots(row.warpcc));
  object.emplace_back("cublaslt", slots(row.cublaslt));
  object.emplace_back("warpcc_geometry", geometry(row.geometry));
  object.emplace_back("cublaslt_geometry", geometry(row.cublaslt_geometry));
  object.emplace_back("algorithms", number(row.algorithms));
  object.emplace_back("exact_algorithms", number(row.exact_algorithms));
  object.emplace_back("algorithm", Json(row.algorithm));
  return Json(std::move(object));
}

std::string to_text(const Machine& machine, const std::vector<Json>& rows) {
  Json::Object object;
  object.emplace_back("machine", machine_json(machine));
  object.emplace_back("unit", Json(std::string("microseconds a call")));
  object.emplace_back("rows", Json(Json::Array(rows)));
  std::string out;
  write(Json(std::move(object)), 0, out);
  return out + "\n";
}

const Json* row_of(const Json& results, const Machine& machine, std::string_view hash) {
  std::string then, now;
  if (results.member("machine") == nullptr || results.member("rows") == nullptr) return nullptr;
  write(*results.member("machine"), 0, then);
  write(machine_json(machine), 0, now);
  const Json::Array* rows = results.member("rows")->array();
  if (then != now || rows == nullptr) return nullptr;
  for (const Json& row : *rows) {
    const Json* its = row.member("hash");
    if (its && its->string() && *its->string() == hash) return &row;
  }
  return nullptr;
}

void print_table(const Machine& machine, const std::vector<Json>& rows) {
  std::printf("%s, %d SMs, driver %d, cuBLASLt %zu; microseconds a call, least and greatest of four slots\n\n",
              machine.gpu.c_str(), machine.multiprocessors, machine.driver, machine.cublaslt);
  std::printf(
      "| M x N x K | exact | warpcc | cuBLASLt | faster by | cuBLASLt span | back to back: warpcc | dependent | "
      "cuBLASLt | "
      "faster by | waves | cuBLASLt's |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  double isolated = 0, graph = 0;
  int compared = 0;
  for (const Json& row : rows) {
    Range ours = range(times(row, "warpcc", "isolated")), theirs = range(times(row, "cublaslt", "isolated"));
    Range our_graph = range(times(row, "warpcc", "graph")), their_graph = range(times(row, "cublaslt", "graph"));
    const Json* exact = row.member("exact");
    std::printf("| %.0f x %.0f x %.0f | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %.2f |\n", value(&row, "m"),
                value(&row, "n"), value(&row, "k"), exact && exact->boolean() && *exact->boolean() ? "yes" : "NO",
                text(ours).c_str(), text(theirs).c_str(), percent(ahead(ours, theirs)).c_str(),
                text(range(times(row, "cublaslt", "isolated_span"))).c_str(), text(our_graph).c_str(),
                text(range(times(row, "warpcc", "graph_dependent"))).c_str(), text(their_graph).c_str(),
                percent(ahead(our_graph, their_graph)).c_str(), value(row.member("warpcc_geometry"), "waves"),
                value(row.member("cublaslt_geometry"), "waves"));
    if (ours.least == 0 || our_graph.least == 0) continue;
    isolated += std::log(1 + ahead(ours, theirs));
    graph += std::log(1 + ahead(our_graph, their_graph));
    ++compared;
  }
  if (compared == 0) return;
  std::printf("\ngeometric mean of %d: isolated %.3f, back to back %.3f\n", compared, std::exp(isolated / compared),
              std::exp(graph / compared));
}

}  // namespace warpcc::bench
