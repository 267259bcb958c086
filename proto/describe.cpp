#include "proto/describe.hpp"

#include <algorithm>

#include "proto/registry.hpp"

namespace smartcli {
namespace {

template <class M>
MethodDescription describe_one() {
  MethodDescription described{M::info, {}, {}, {}};
  detail::Describer request, reply;
  typename M::Request asked;
  asked.fields(request);
  typename M::Reply answered;
  answered.fields(reply);
  described.request = std::move(request.fields);
  described.reply = std::move(reply.fields);
  if constexpr (requires { typename M::Chunk; }) {
    detail::Describer chunk;
    typename M::Chunk piece;
    piece.fields(chunk);
    described.chunk = std::move(chunk.fields);
  }
  return described;
}

}  // namespace

const std::vector<MethodDescription>& describe_methods() {
  static const std::vector<MethodDescription> all = [] {
    std::vector<MethodDescription> methods{describe_one<Hello>()};
    for_each_method([&methods]<class M>() { methods.push_back(describe_one<M>()); });
    return methods;
  }();
  return all;
}

namespace {

std::string duration(std::int64_t ms) {
  if (ms % 1000 != 0 || ms == 0) return std::to_string(ms) + "ms";
  const auto seconds = ms / 1000;
  if (seconds % 3600 == 0) return std::to_string(seconds / 3600) + "h";
  if (seconds % 60 == 0) return std::to_string(seconds / 60) + "m";
  return std::to_string(seconds) + "s";
}

std::string in_words(const FieldDescription& described, std::int64_t value) {
  return described.shape.type == Shape::Type::duration ? duration(value) : std::to_string(value);
}

}  // namespace

std::string explain(const FieldDescription& described) {
  const Field& field = described.field;
  std::string text(field.doc);
  std::string facts;
  const auto add = [&facts](const std::string& fact) { facts += (facts.empty() ? "" : "; ") + fact; };
  if (described.shape.type == Shape::Type::choice) {
    std::string all;
    for (const auto choice : described.shape.choices) all += (all.empty() ? "" : ", ") + std::string(choice);
    add(all);
  }
  if (field.limit != nullptr) {
    add(in_words(described, field.limit->least) + " to " + in_words(described, field.limit->most));
  }
  if (!field.without.empty()) {
    add("default: " + std::string(field.without));
  } else if (!described.standard.empty() && described.shape.type != Shape::Type::flag) {
    const auto type = described.shape.type;
    std::string shown = described.standard;
    if (type == Shape::Type::duration) shown = duration(std::stoll(shown));
    if (type == Shape::Type::choice) shown = shown.substr(1, shown.size() - 2);
    add("default: " + shown);
  }
  return facts.empty() ? text : text + " (" + facts + ")";
}

std::string option_name(const FieldDescription& described) {
  std::string name(described.field.name);
  if (described.shape.type == Shape::Type::duration) name.resize(name.size() - 3);  // without `_ms`
  std::replace(name.begin(), name.end(), '_', '-');
  // What is on unless told otherwise has an option that says no.
  if (described.shape.type == Shape::Type::flag && described.standard == "true") name.insert(0, "no-");
  return name;
}

}  // namespace smartcli
