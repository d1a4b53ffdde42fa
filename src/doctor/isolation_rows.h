// What could leak from one session to another, one row each.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "doctor/isolation_agents.h"

namespace doctor {

// Whose something is. Sessions with `--isolation shared` have one browser context and tabs of their own.
enum class Belongs { ToContext, ToSession };

struct IsolationRow {
    std::string_view name;
    Belongs belongs = Belongs::ToContext;
    // Says how the intruder got through, nothing when it did not. Fails when that cannot be told, above all
    // when the owner does not find its own secret.
    Task<std::optional<std::string>> (*probe)(Stage& stage, const IsolationRow& row) = nullptr;
    // For those that are two functions in a page: one that keeps SECRET somewhere, one that looks for it.
    std::string_view keep = {};
    std::string_view look = {};
};

std::span<const IsolationRow> isolation_rows();

// What a session is made with whose secrets these are.
session::SessionSetup owner_setup();

}  // namespace doctor
