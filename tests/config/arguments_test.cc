#include "config/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/loading.h"

namespace config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

Command command(std::vector<std::string> arguments) {
    return loaded(load_flags(std::move(arguments))).command;
}

TEST(Arguments, TheDoctorMayBeToldWhichIsolationToExamine) {
    for (std::vector<std::string> arguments :
         {std::vector<std::string>{"doctor", "--isolation", "shared", "--headless"},
          {"doctor", "--headless", "--isolation=shared"}}) {
        auto given = loaded(load_flags(arguments));
        EXPECT_EQ(given.command, Command::DoctorIsolation);
        EXPECT_EQ(given.config.session.isolation, config::Isolation::Shared);
    }
    auto plain = loaded(load_flags({"doctor", "--isolation", "--headless"}));
    EXPECT_FALSE(plain.config.session.isolation);
    EXPECT_TRUE(plain.config.browser.headless);
    EXPECT_FALSE(load_flags({"--isolation"}));
}

TEST(Arguments, NameTheCommand) {
    EXPECT_EQ(command({}), Command::Serve);
    EXPECT_EQ(command({"--port", "0"}), Command::Serve);
    EXPECT_EQ(command({"doctor"}), Command::Doctor);
    EXPECT_EQ(command({"--headless", "doctor"}), Command::Doctor);
    EXPECT_EQ(command({"doctor", "--isolation"}), Command::DoctorIsolation);
    EXPECT_EQ(command({"--isolation", "shared", "doctor"}), Command::Doctor);
    EXPECT_EQ(command({"config", "print"}), Command::ConfigPrint);
    EXPECT_EQ(command({"config", "schema"}), Command::ConfigSchema);
    EXPECT_EQ(command({"-h"}), Command::Help);
    EXPECT_EQ(command({"doctor", "--help"}), Command::Help);
    EXPECT_EQ(command({"--version"}), Command::Version);
    EXPECT_EQ(command({"-V"}), Command::Version);
}

TEST(Arguments, SayWhatOfTheHistoryIsWanted) {
    Loaded listed =
        loaded(load_flags({"history", "--session", "ann", "--since=2h", "--record-path", "x.db"}));
    EXPECT_EQ(listed.command, Command::History);
    EXPECT_EQ(listed.history.action, "list");
    EXPECT_THAT(listed.history.flags, UnorderedElementsAre(Pair("session", "ann"), Pair("since", "2h")));
    EXPECT_EQ(listed.config.store.path.filename(), "x.db");
    EXPECT_THAT(loaded(load_flags({"history", "diff", "a", "b", "--json"})).history.refs,
                ElementsAre("a", "b"));
    EXPECT_THAT(error_of(load_flags({"history", "diff", "a"})).message, HasSubstr("takes two refs"));
    EXPECT_THAT(error_of(load_flags({"history", "exprt"})).hint, HasSubstr("Did you mean history export?"));
}

TEST(Arguments, NameTheAuditLogToVerify) {
    EXPECT_EQ(loaded(load_flags({"audit", "verify"})).command, Command::AuditVerify);
    EXPECT_EQ(loaded(load_flags({"audit", "verify"})).file, "");
    EXPECT_EQ(loaded(load_flags({"audit", "verify", "old.log"})).file, "old.log");
    EXPECT_THAT(error_of(load_flags({"audit"})).hint, HasSubstr("troupe audit verify"));
    EXPECT_THAT(error_of(load_flags({"audit", "erase"})).hint, HasSubstr("troupe audit verify"));
    EXPECT_THAT(error_of(load_flags({"--session", "ann"})).message, HasSubstr("Unknown flag --session"));
}

TEST(Arguments, SuggestTheCommandThatWasMeant) {
    EXPECT_THAT(error_of(load_flags({"docter"})).to_string(),
                AllOf(HasSubstr("Unknown command docter"), HasSubstr("Did you mean doctor?")));
    EXPECT_THAT(error_of(load_flags({"config", "prnt"})).to_string(),
                HasSubstr("Did you mean config print?"));
    EXPECT_THAT(error_of(load_flags({"config"})).to_string(), HasSubstr("Say print or schema."));
    EXPECT_THAT(error_of(load_flags({"doctor", "now"})).to_string(),
                HasSubstr("Unexpected argument \"now\""));
}

TEST(Arguments, ShowHelpWhateverTheFileAndTheEnvironmentSay) {
    EXPECT_EQ(loaded(load_flags({"--config=missing.json", "--help"}, {{"TROUPE_PORT", "many"}})).command,
              Command::Help);
}

TEST(Arguments, TakeJsonOnlyWhereSomethingIsPrinted) {
    EXPECT_TRUE(loaded(load_flags({"config", "print", "--json"})).as_json);
    EXPECT_THAT(error_of(load_flags({"--json"})).message, HasSubstr("config print"));
}

TEST(Flags, TakeTheirValueBehindASpaceOrAnEqualsSign) {
    EXPECT_EQ(loaded(load_flags({"--port", "8931"})).config.server.port, 8931);
    EXPECT_EQ(loaded(load_flags({"--port=8931"})).config.server.port, 8931);
    EXPECT_EQ(loaded(load_flags({"--user-agent=a=b"})).config.browser.context.user_agent, "a=b");
    EXPECT_EQ(loaded(load_flags({"--user-agent", "--odd"})).config.browser.context.user_agent, "--odd");
}

TEST(Flags, SwitchOnAndOff) {
    EXPECT_TRUE(loaded(load_flags({"--headless"}, {{"DISPLAY", ":0"}})).config.browser.headless);
    EXPECT_FALSE(loaded(load_flags({"--headless=false"})).config.browser.headless);
    EXPECT_FALSE(loaded(load_flags({"--no-headless"})).config.browser.headless);
    EXPECT_EQ(loaded(load_flags({"--sandbox"})).config.browser.sandbox, true);
    EXPECT_EQ(loaded(load_flags({"--no-sandbox"})).config.browser.sandbox, false);
    EXPECT_EQ(loaded(load_flags({})).config.browser.sandbox, std::nullopt);
    EXPECT_FALSE(loaded(load_flags({"--no-webmcp"})).config.webmcp);
    EXPECT_EQ(loaded(load_flags({"--block-service-workers"})).config.browser.context.service_workers,
              ServiceWorkers::Block);
}

TEST(Flags, LetALaterOneWin) {
    EXPECT_EQ(loaded(load_flags({"--port=1", "--port=2"})).config.server.port, 2);
    EXPECT_EQ(loaded(load_flags({"--sandbox", "--no-sandbox"})).config.browser.sandbox, false);
}

TEST(Flags, CollectListsFromSeparatorsRepetitionAndFollowingWords) {
    auto hosts = [](std::vector<std::string> flags) {
        return loaded(load_flags(flags)).config.server.allowed_hosts;
    };

    EXPECT_THAT(hosts({"--allowed-hosts", "a, b,c"}), ElementsAre("a", "b", "c"));
    EXPECT_THAT(hosts({"--allowed-hosts", "a", "b", "--headless"}), ElementsAre("a", "b"));
    EXPECT_THAT(hosts({"--allowed-hosts=a", "--allowed-hosts=b"}), ElementsAre("a", "b"));
}

TEST(Flags, PartOriginsBySemicolons) {
    EXPECT_THAT(loaded(load_flags({"--allowed-origins", "https://a.example; http://localhost:*"}))
                    .config.allowed_origins,
                ElementsAre("https://a.example", "http://localhost:*"));
}

TEST(Flags, ReadHeadersAsNamesAndValues) {
    Loaded result =
        loaded(load_flags({"--cdp-header", "Authorization: Bearer a:b", "X-Empty", "--cdp-header=C:d"}));

    EXPECT_THAT(result.config.browser.cdp_headers, UnorderedElementsAre(Pair("Authorization", "Bearer a:b"),
                                                                        Pair("X-Empty", ""), Pair("C", "d")));
}

TEST(Flags, ReadSizesWithAnXOrAComma) {
    auto viewport = [](std::string size) {
        return loaded(load_flags({"--viewport-size", size})).config.browser.context.viewport;
    };

    EXPECT_EQ(viewport("800x600"), (Size{800, 600}));
    EXPECT_EQ(viewport("800,600"), (Size{800, 600}));
}

TEST(Flags, KeepACommaInThePathOfAScript) {
    Directory directory;
    directory.write("a,b.js", "");
    directory.write("c.js", "");

    Loaded result = loaded(load({"--init-script=a,b.js", "--init-script", "c.js"}, {}, directory.path()));

    EXPECT_THAT(result.config.browser.init_script,
                ElementsAre(directory.path() / "a,b.js", directory.path() / "c.js"));
}

TEST(Flags, SuggestTheOneThatWasMeantAndNeverRepeatItsValue) {
    Error error = error_of(load_flags({"--auth-tokn=hunter2"}));

    EXPECT_EQ(error.message, "Unknown flag --auth-tokn.");
    EXPECT_THAT(error.hint, HasSubstr("Did you mean --auth-token?"));
}

TEST(Flags, LeadFromOtherNamesToTheirOwn) {
    auto hint = [](std::vector<std::string> flags) { return error_of(load_flags(flags)).hint; };

    EXPECT_THAT(hint({"history", "list", "--sesion=a"}), HasSubstr("Did you mean --session?"));
    EXPECT_THAT(hint({"history", "--session_id", "a"}), HasSubstr("Did you mean --session?"));
    EXPECT_THAT(hint({"--cdp=9222"}), HasSubstr("Did you mean --cdp-endpoint?"));
    EXPECT_THAT(hint({"--database-path=x.db"}), HasSubstr("Did you mean --record-path?"));
    EXPECT_THAT(hint({"--transport=http"}), HasSubstr("--port"));
    EXPECT_THAT(hint({"--session-id=a"}), HasSubstr("--session-param"));
    EXPECT_THAT(hint({"--"}), HasSubstr("troupe --help"));
}

TEST(Flags, RefuseWhatTheyCannotUse) {
    auto message = [](std::vector<std::string> flags) { return error_of(load_flags(flags)).to_string(); };

    EXPECT_EQ(message({"--port=many"}), "--port: expected a whole number from 0 to 65535, got \"many\".");
    EXPECT_THAT(message({"--port=70000"}), HasSubstr("got \"70000\""));
    EXPECT_THAT(message({"--port=8 "}), HasSubstr("--port: expected"));
    EXPECT_THAT(message({"--timeout-action=-1"}), HasSubstr("a whole number of milliseconds, at least 0"));
    EXPECT_THAT(message({"--headless=maybe"}),
                HasSubstr("--headless: expected true or false, got \"maybe\""));
    EXPECT_THAT(message({"--viewport-size=0x5"}), HasSubstr("expected a size such as 1280x720"));
    EXPECT_THAT(message({"--snapshot-mode=ful"}), AllOf(HasSubstr("expected one of full, none, got \"ful\""),
                                                        HasSubstr("Did you mean \"full\"?")));
    EXPECT_THAT(message({"--browser=crome"}), HasSubstr("Did you mean \"chrome\"?"));
    EXPECT_THAT(message({"--no-webmcp=true"}), HasSubstr("takes no value"));
    EXPECT_THAT(message({"--no-port"}), HasSubstr("Unknown flag --no-port"));
    EXPECT_THAT(message({"-p", "1"}), HasSubstr("Unknown flag -p"));
}

TEST(Flags, SayWhenTheirValueIsMissing) {
    EXPECT_EQ(error_of(load_flags({"--port"})).to_string(), "--port needs a value. Write --port <port>.");
    EXPECT_THAT(error_of(load_flags({"--port", "--headless"})).message, HasSubstr("--port needs a value"));
}

}  // namespace
}  // namespace config
