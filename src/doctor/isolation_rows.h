// The possible leaks from one session to another, one row each.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "doctor/isolation_agents.h"

namespace doctor {

// The owner of some state. Sessions with `--isolation shared` have one browser context and tabs of their own.
enum class Belongs { ToContext, ToSession };

struct IsolationRow {
    std::string_view name;
    Belongs belongs = Belongs::ToContext;
    // Returns how the intruder got through, or nothing when it did not. Fails when that cannot be determined,
    // above all when the owner does not find its own secret.
    Task<std::optional<std::string>> (*probe)(Stage& stage, const IsolationRow& row) = nullptr;
    // For checks that consist of two page functions: one stores SECRET, the other looks for it.
    std::string_view keep = {};
    std::string_view look = {};
};

std::span<const IsolationRow> isolation_rows();

// The setup of the session that owns the secrets.
session::SessionSetup owner_setup();

}  // namespace doctor
