// visit is the one list of a layer's members: saving, loading, counting and optimising derive from
// it here.
//
//   void visit(auto&& member) { member("query", query); member("key", key); }
//
// A member is a Var (a parameter), a Tensor (state that is saved but not optimised), something with
// a visit of its own, or a vector of these. Names are joined by dots: "encoder.0.query.weight".
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fovea/autograd/var.h"

namespace fovea {

namespace detail {

template <class T>
concept HasVisit = requires(T& object) {
  object.visit([](const char*, auto&) {});
};

template <class Member, class Use>
void visit_member(const std::string& name, Member& member, const Use& use) {
  if constexpr (std::is_same_v<Member, Var> || std::is_same_v<Member, Tensor>) {
    use(name, member);
  } else if constexpr (HasVisit<Member>) {
    member.visit([&](const char* inner, auto& child) {
      visit_member(name.empty() ? std::string(inner) : name + "." + inner, child, use);
    });
  } else {
    std::size_t i = 0;
    for (auto& child : member)
      visit_member((name.empty() ? "" : name + ".") + std::to_string(i++), child, use);
  }
}

}  // namespace detail

struct Parameter {
  std::string name;
  Var var;
};

// All parameters, in the order of the visits. Absent ones (a Linear without bias) are left out.
template <class Model>
std::vector<Parameter> parameters(Model& model) {
  std::vector<Parameter> found;
  detail::visit_member("", model, [&](const std::string& name, auto& member) {
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Var>) {
      if (member) found.push_back({name, member});
    }
  });
  return found;
}

Index count_numbers(const std::vector<Parameter>& parameters);

// Every number that makes the model what it is, by name. The tensors share memory with the model.
using NamedTensors = std::map<std::string, Tensor>;

template <class Model>
NamedTensors named_tensors(Model& model) {
  NamedTensors tensors;
  detail::visit_member("", model, [&](const std::string& name, auto& member) {
    if (!member) return;
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Var>) {
      tensors.emplace(name, member.value());
    } else {
      tensors.emplace(name, member);
    }
  });
  return tensors;
}

// Copies `from` into a model's tensors (named_tensors). Every name must be there, once, with its
// shape: `where` (a file) stands at the start of the message when not. Nothing is changed unless
// everything fits.
void load_tensors(const std::string& where, const NamedTensors& from, NamedTensors to);

}  // namespace fovea
