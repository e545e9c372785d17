/// Keeps the messages of a workflow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workflow/talk.h"

namespace plumbline {

struct KeptTalk : Talk {
  std::vector<std::string> told;

  void note(const std::string& text) override { told.push_back("note: " + text); }
  void say(const std::string& line) override { told.push_back(line); }
  void now(const std::string&) override {}
  std::unique_ptr<RunListener> listener(std::span<const ExpectedFailure>,
                                        std::string_view) override {
    struct Deaf : RunListener {
      void on_visit(const Case&, std::span<const ResultRow>) override {}
      void on_progress(const Case&, const Progress&) override {}
      void on_note(const std::string&) override {}
    };
    return std::make_unique<Deaf>();
  }
};

}  // namespace plumbline
