#include <algorithm>
#include <cmath>

#include "tools/browser_tools.h"
#include "tools/source_text.h"

namespace tools {
namespace {

struct SnapshotParams {
    std::optional<std::string> target;
    std::optional<std::string> filename;
    std::optional<double> depth;
    std::optional<bool> boxes;
};

Task<> snapshot(Tab& tab, SnapshotParams params, Response& response) {
    SnapshotRequest request{.file = params.filename.value_or(""), .boxes = params.boxes};
    if (params.depth) {
        if (*params.depth != std::floor(*params.depth)) {
            co_await Error{.code = ErrorCode::InvalidArgument,
                           .message = "depth: expected integer, got float " + to_javascript(*params.depth)};
        }
        request.depth = static_cast<int>(std::clamp(*params.depth, 0.0, 1e6));
    }
    if (!params.target.value_or("").empty()) request.root = (co_await tab.find(*params.target)).element;
    response.include_snapshot(std::move(request));
}

}  // namespace

std::vector<Tool> snapshot_tools(const SessionResolver& sessions) {
    return {
        tab_tool<SnapshotParams>(
            sessions,
            {
                .name = "browser_snapshot",
                .title = "Page snapshot",
                .description = "Show the page as an accessibility tree whose refs other tools take. Better "
                               "than a screenshot.",
                .effect = Effect::ReadsPage,
                .params =
                    {
                        {"target",
                         &SnapshotParams::target,
                         "Only this element: its ref or a unique selector.",
                         {.aliases = {"ref"}}},
                        {"filename", &SnapshotParams::filename, kFileHelp},
                        {"depth", &SnapshotParams::depth, "How many levels of the tree to show."},
                        {"boxes", &SnapshotParams::boxes,
                         "Add each element's [box=x,y,width,height] in the viewport, in CSS pixels."},
                    },
                .handler = snapshot,
            }),
    };
}

}  // namespace tools
