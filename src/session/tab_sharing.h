// Tabs that change hands between sessions of one browser context.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "session/session.h"

namespace session {

// The error for a call that would change a tab that is only lent.
Error read_only_error(const Tab& tab);

// Hands tabs over, lends them and gives them back. Each time a tab changes hands it gets a new id, so that a
// late call with an old one fails, even if its session has the tab again. Lives on the main loop.
class TabSharing {
public:
    // Shares at once with a session that has a browser. Gives the tab's id there.
    Task<std::string> share(std::shared_ptr<Session> from, std::shared_ptr<Tab> tab,
                            std::shared_ptr<Session> to, TabAccess access);
    // Gives an unguessable token; the first session that redeems it gets the tab, if its owner still has it.
    Result<std::string> offer(const std::shared_ptr<Session>& from, const std::shared_ptr<Tab>& tab,
                              TabAccess access);
    Task<std::string> redeem(std::string token, std::shared_ptr<Session> to);
    // Gives back a tab that was lent or handed over; for its owner, takes back loans and offers of it.
    Task<> release(std::shared_ptr<Session> session, std::shared_ptr<Tab> tab);

private:
    struct Offer {
        std::weak_ptr<Session> from;
        std::string tab;  // its id when it was offered
        TabAccess access;
    };
    struct Loan {
        std::string page;
        std::weak_ptr<Session> owner, borrower;
    };

    std::string next_id(const engine::Page& page);
    bool withdraw(const std::string& page, const Session* owner);

    std::map<std::string, Offer> offers_;                 // by token
    std::vector<Loan> loans_;                             // read-only
    std::map<std::string, std::weak_ptr<Session>> from_;  // by page: who handed it over last
    std::map<std::string, std::uint64_t> leases_;         // by page: how often it changed hands
};

}  // namespace session
