#include "tools/roots.h"

namespace tools {
namespace {

constexpr std::chrono::seconds kTimeout{5};

std::vector<std::filesystem::path> read_roots(const json::value& answer) {
    std::vector<std::filesystem::path> roots;
    const json::value* list = json::find(answer, "roots");
    if (!list || !list->is_array()) return roots;
    for (const json::value& root : list->get_array()) {
        const json::value* uri = json::find(root, "uri");
        if (!uri || !uri->is_string()) continue;
        if (auto path = session::path_from_uri(uri->get_string())) roots.push_back(std::move(*path));
    }
    return roots;
}

}  // namespace

Task<> learn_roots(session::Session& session, Client& client) {
    if (session.knows_roots()) co_return;
    std::vector<std::filesystem::path> roots;
    if (session.options().trusts_roots && client.answers("roots/list")) {
        std::vector<InputRequest> question;
        question.push_back(list_roots("roots"));
        auto answers = co_await as_result(with_deadline(session.loop(), client.ask(std::move(question)),
                                                        Deadline::in(kTimeout), "roots/list"));
        // When the protocol cannot ask during a call, this ends the call; the client repeats it with the
        // answer.
        if (!answers && answers.error().code == ErrorCode::Cancelled) co_await std::move(answers).error();
        if (answers) roots = read_roots((*answers)["roots"]);
    }
    session.set_roots(roots);
}

}  // namespace tools
