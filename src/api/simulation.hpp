#pragma once
// What stands behind the public Simulation: an engine, and who looks on.

#include <memory>

#include "api/columns.hpp"
#include "api/implementation.hpp"
#include "base/basics/kept_row.hpp"
#include "core/engine/engine.hpp"
#include "core/explain/account.hpp"

namespace cradle {

struct Simulation::Impl {
  Impl(const Model& model, const Options& options)
      : Impl(api::model_for(model, options), options) {}
  Impl(std::shared_ptr<const Model::Impl> shared, const Options& options)
      : model(std::move(shared)),
        engine(*this->model->plan, options, api::columns_for(*this->model->plan, options),
               api::drawn_columns(*this->model->plan, options)) {
    shown.rows = Trajectory(engine.layout());
    shown.rows.keep_curves(options.keep_trajectory && options.record_curves);
    if (!options.keep_trajectory) none = Trajectory(engine.layout());
    engine.stream_to(shown);
    if (options.tell_instants <= 0) return;
    account = std::make_unique<explain::Account>(
        this->model->flat(), this->model->sources(),
        explain::Bounds{static_cast<std::size_t>(options.tell_instants)});
    engine.show_to(*account);
  }

  std::shared_ptr<const Model::Impl> model;  // its share: the plan, and the text for messages
  engine::Engine engine;
  std::unique_ptr<explain::Account> account;  // null: nobody asks what happens inside instants
  // All rows; or, if none is to be kept, those of the last call. Where only the last row can be
  // asked for, it is kept as it is: a trajectory has an array for each automaton.
  struct Shown : RowSink {
    void begin(const RowLayout&) override {}
    void take(std::span<const RowView> taken) override {
      if (!only_last) return rows.take(taken);
      if (!taken.empty()) last.keep(taken.back());
    }
    void show_all() {
      only_last = false;
      last = {};
    }
    void show_last() {
      if (!only_last || !last.is_kept()) return;
      rows.clear();
      const RowView row = last.row();
      rows.take(std::span(&row, 1));
    }
    bool wants_curves() const override { return rows.wants_curves(); }
    void take(const StretchView& stretch) override { rows.take(stretch); }
    Trajectory rows;
    KeptRow last;
    bool only_last = false;
  };
  Shown shown;
  Trajectory none;       // what is kept if nothing is
  std::size_t next = 0;  // the row that advance() shows next
  bool begun = false;
};

}  // namespace cradle
