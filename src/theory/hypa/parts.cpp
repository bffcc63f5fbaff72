#include "theory/hypa/parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

namespace cradle::hypa {
namespace {

class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // The smaller one leads, so that groups stand in the order of the text.
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::vector<std::size_t>> all() {
    std::map<std::size_t, std::vector<std::size_t>> by_leader;
    for (std::size_t i = 0; i < parent_.size(); ++i) by_leader[find(i)].push_back(i);
    std::vector<std::vector<std::size_t>> out;
    out.reserve(by_leader.size());
    for (auto& [leader, group] : by_leader) out.push_back(std::move(group));
    return out;
  }

 private:
  std::vector<std::size_t> parent_;
};

// What one process reads, and what its alternatives depend on.
struct Reads {
  std::set<VariableId> variables;
  std::set<VariableId> modes;  // that some relation speaks of, and of nothing else
  bool switches = false;
};

class Separator {
 public:
  Separator(Specification& specification, const std::string& name,
            const std::vector<std::string>& processes, const NormalFormOptions& options)
      : specification_(specification),
        v_(specification.vocabulary),
        processes_(processes),
        options_(options) {
    out_.name = name;
  }

  NormalForms run() {
    for (const std::string& process : processes_) {
      if (!look_at(process)) return whole();  // it says what is wrong
    }
    const std::vector<std::vector<std::size_t>> parts = parts_of();
    if (parts.size() < 2) return whole();
    std::vector<NormalForm> forms;
    for (std::size_t i = 0; i < parts.size(); ++i)
      forms.push_back(form_of(parts[i], name_of(parts[i])));
    if (few(forms)) {
      NormalForms all = whole();
      if (all.problem.empty()) return all;
    }
    put_together(parts, std::move(forms));
    return std::move(out_);
  }

 private:
  NormalForms whole() {
    NormalForms all;
    all.name = out_.name;
    all.parts.push_back(normal_form(specification_, out_.name, processes_, options_));
    all.made_of.push_back(processes_);
    all.problem = all.parts[0].problem;
    return all;
  }

  bool look_at(const std::string& name) {
    const Process* process = specification_.find(name);
    const auto split = process == nullptr ? std::nullopt : alternatives(process->body);
    if (!split) return false;
    Reads& reads = reads_.emplace_back();
    reads.switches = split->size() > 1 || process->role == Role::Automaton;
    for (const Alternative& a : *split) {
      for (const Predicate* predicate : {&a.jump, &a.flow}) {
        for (const Relation& relation : *predicate) note(relation.holds, reads);
      }
    }
    return true;
  }

  void note(ExprId relation, Reads& reads) {
    std::vector<VariableId> found;
    bool modes_only = true;
    for (ExprId leaf : v_.leaves(relation)) {
      if (!v_.is_variable(leaf)) continue;
      found.push_back(Vocabulary::variable_of(v_.pool[leaf]));
      modes_only = modes_only && v_[found.back()].quantity == Quantity::Mode;
    }
    reads.variables.insert(found.begin(), found.end());
    if (modes_only) reads.modes.insert(found.begin(), found.end());
  }

  std::vector<std::vector<std::size_t>> parts_of() {
    Groups groups(reads_.size());
    std::unordered_map<int32_t, std::size_t> first_calm, first_switching;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      const bool switches = reads_[i].switches;
      auto& first = switches ? first_switching : first_calm;
      for (VariableId id : switches ? reads_[i].modes : reads_[i].variables) {
        if (!switches && !couples(id)) continue;
        const auto [place, is_new] = first.emplace(id.index, i);
        if (!is_new) groups.join(i, place->second);
      }
    }
    return groups.all();
  }
  // What is given from outside, and modes, are the same for all who read them.
  bool couples(VariableId id) const {
    return v_[id].quantity != Quantity::Mode && !options_.given.contains(id.index);
  }

  std::string name_of(const std::vector<std::size_t>& part) {
    if (part.size() == 1) return processes_[part[0]];
    for (std::size_t i : part) {
      const Process* process = specification_.find(processes_[i]);
      if (reads_[i].switches && process->role != Role::Automaton) return process->name;
    }
    std::string name;
    do {
      name = "part_" + std::to_string(++unnamed_);
    } while (specification_.find(name) != nullptr);
    return name;
  }

  NormalForm form_of(const std::vector<std::size_t>& part, const std::string& name) {
    NormalFormOptions options;  // of the jump's freedom nothing is said: others restrict it, too
    options.max_alternatives = options_.max_alternatives;
    std::set<std::size_t> inside(part.begin(), part.end());
    // Of a bond whose variables others read, none is eliminated.
    std::set<std::string> read_by_others;
    if (readers_.empty()) index_readers();
    std::set<int32_t> own;
    for (std::size_t i : part) {
      for (VariableId id : reads_[i].variables) own.insert(id.index);
    }
    for (int32_t id : own) {
      const std::vector<std::size_t>& readers = readers_[stem(VariableId(at(id)))];
      const bool shared = std::any_of(readers.begin(), readers.end(),
                                      [&](std::size_t i) { return !inside.contains(i); });
      if (shared) read_by_others.insert(stem(VariableId(at(id))));
    }
    for (int32_t id : own) {
      if (options_.internal.contains(id) && !read_by_others.contains(stem(VariableId(at(id))))) {
        options.internal.insert(id);
      }
    }
    for (const auto& mode : options_.start) {
      if (own.contains(mode.first.index)) options.start.push_back(mode);
    }
    std::vector<std::string> names;
    names.reserve(part.size());
    for (std::size_t i : part) names.push_back(processes_[i]);
    return normal_form(specification_, name, names, options);
  }

  // The bond that a variable is of, or the variable itself.
  const std::string& stem(VariableId id) {
    const auto [place, is_new] = stems_.try_emplace(id.index);
    if (is_new) {
      const std::string& name = v_[id].name;
      const bool of_bond = v_[id].quantity <= Quantity::Energy;
      place->second = of_bond ? name.substr(0, name.rfind('.')) : name + " ";
    }
    return place->second;
  }
  void index_readers() {
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      for (VariableId id : reads_[i].variables) {
        std::vector<std::size_t>& readers = readers_[stem(id)];
        if (readers.empty() || readers.back() != i) readers.push_back(i);
      }
    }
  }

  bool few(const std::vector<NormalForm>& forms) const {
    std::size_t product = 1;
    for (const NormalForm& form : forms) {
      if (!form.problem.empty()) return false;
      product *= std::max<std::size_t>(form.alternatives.size(), 1);
      if (product > options_.max_alternatives) return false;
    }
    return true;
  }

  // Parts that read the same variables, or each other's modes, are not apart.
  void put_together(const std::vector<std::vector<std::size_t>>& parts,
                    std::vector<NormalForm> forms) {
    Groups groups(parts.size());
    std::unordered_map<std::string, std::size_t> first;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t i : parts[p]) {
        for (VariableId id : reads_[i].variables) {
          if (options_.given.contains(id.index)) continue;
          const auto [place, is_new] = first.emplace(stem(id), p);
          if (!is_new) groups.join(p, place->second);
        }
      }
    }
    for (const std::vector<std::size_t>& group : groups.all()) {
      if (group.size() > 1 && add_as_one(group, parts, forms)) continue;
      out_.left_apart = out_.left_apart || group.size() > 1;
      for (std::size_t p : group) add(parts[p], std::move(forms[p]));
    }
  }

  bool add_as_one(const std::vector<std::size_t>& group,
                  const std::vector<std::vector<std::size_t>>& parts,
                  const std::vector<NormalForm>& forms) {
    std::vector<NormalForm> some;
    std::vector<std::size_t> members;
    for (std::size_t p : group) {
      some.push_back(forms[p]);
      members.insert(members.end(), parts[p].begin(), parts[p].end());
    }
    if (!few(some)) return false;
    std::sort(members.begin(), members.end());
    NormalForm together = form_of(members, name_of(members));
    if (!together.problem.empty()) return false;
    add(members, std::move(together));
    return true;
  }

  void add(const std::vector<std::size_t>& members, NormalForm form) {
    if (out_.problem.empty()) out_.problem = form.problem;
    std::vector<std::string>& names = out_.made_of.emplace_back();
    for (std::size_t i : members) names.push_back(processes_[i]);
    out_.parts.push_back(std::move(form));
  }

  Specification& specification_;
  Vocabulary& v_;
  const std::vector<std::string>& processes_;
  const NormalFormOptions& options_;
  NormalForms out_;
  std::vector<Reads> reads_;                                           // by process
  std::unordered_map<std::string, std::vector<std::size_t>> readers_;  // by stem
  std::unordered_map<int32_t, std::string> stems_;
  int unnamed_ = 0;
};

}  // namespace

NormalForms normal_forms(Specification& specification, const std::string& name,
                         const std::vector<std::string>& processes,
                         const NormalFormOptions& options) {
  return Separator(specification, name, processes, options).run();
}

}  // namespace cradle::hypa
