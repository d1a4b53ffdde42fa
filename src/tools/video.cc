#include "session/video.h"

#include <array>

#include "tools/browser_tools.h"

namespace tools {
namespace {

// Actions wait until the pointer has reached them.
constexpr std::chrono::milliseconds kCursorTravel{800};
constexpr std::chrono::seconds kFinishTimeout{30};

std::chrono::milliseconds milliseconds(double given) {
    return std::chrono::milliseconds(static_cast<int>(std::clamp(given, 0.0, 60'000.0)));
}

Result<std::shared_ptr<Tab>> open_tab(const Session& session) {
    if (auto tab = session.current_tab()) return tab;
    return Error{.code = ErrorCode::NotFound, .message = "No open pages available."};
}

struct VideoSize {
    double width = 0;
    double height = 0;

    static schema::ParamList<VideoSize> params() {
        return {{"width", &VideoSize::width, "In pixels."}, {"height", &VideoSize::height, "In pixels."}};
    }
};

struct StartParams {
    std::optional<std::string> filename;
    std::optional<VideoSize> size;
    std::optional<double> fps;
    std::optional<bool> cursor;
};

Task<> start_video(Session& session, StartParams params, Response& response) {
    if (session.video()) {
        co_await Error{.code = ErrorCode::InvalidArgument,
                       .message = "Video recording has already been started."};
    }
    co_await session::VideoEncoder::check_installed();
    OutputFile file = co_await response.output_file(
        {.prefix = "video", .extension = "webm", .given = params.filename.value_or("")});
    session::VideoFormat format;
    auto bounded = [](double given) { return static_cast<int>(std::clamp(given, 2.0, 4096.0)); };
    if (params.size) format.size = {bounded(params.size->width), bounded(params.size->height)};
    if (params.fps) format.frames_per_second = std::clamp(*params.fps, 1.0, 60.0);
    co_await session.ensure_tab();
    auto video = std::make_shared<session::Video>(session.loop(), file.path, format);
    for (const auto& tab : session.tabs()) {
        co_await video->watch(*tab);
        if (params.cursor.value_or(false))
            tab->page().annotate_actions(
                engine::ActionNotes{.duration = kCursorTravel, .title_style = "display: none"});
    }
    session.set_video(std::move(video));
    response.add_text("Video recording started.");
}

Task<> stop_video(Session& session, schema::NoParams, Response& response) {
    std::shared_ptr<session::Video> video = session.video();
    if (!video) {
        response.add_text("No videos were recorded.");
        co_return;
    }
    session.set_video(nullptr);
    for (const auto& file : co_await video->stop(session.deadline_in(kFinishTimeout, "the video")))
        response.add_text("- [Video](" + session.workspace().printable(file) + ")");
}

struct ChapterParams {
    std::string title;
    std::optional<std::string> description;
    std::optional<double> duration;
};

Task<> show_chapter(Session& session, ChapterParams params, Response& response) {
    auto tab = co_await open_tab(session);
    engine::Chapter chapter{.title = params.title, .description = params.description.value_or("")};
    if (params.duration) chapter.duration = milliseconds(*params.duration);
    bool done = co_await tab->until_modal(tab->page().show_chapter(chapter, tab->deadline()));
    if (done) response.add_text("Chapter '" + params.title + "' added.");
}

enum class Position { TopLeft, Top, TopRight, BottomLeft, Bottom, BottomRight };
constexpr auto enum_names(Position) {
    return std::to_array<schema::EnumName<Position>>({{Position::TopLeft, "top-left"},
                                                      {Position::Top, "top"},
                                                      {Position::TopRight, "top-right"},
                                                      {Position::BottomLeft, "bottom-left"},
                                                      {Position::Bottom, "bottom"},
                                                      {Position::BottomRight, "bottom-right"}});
}
enum class Cursor { None, Pointer };
constexpr auto enum_names(Cursor) {
    return std::to_array<schema::EnumName<Cursor>>({{Cursor::None, "none"}, {Cursor::Pointer, "pointer"}});
}

struct Styles {
    std::optional<std::string> point;
    std::optional<std::string> highlight;
    std::optional<std::string> title;

    static schema::ParamList<Styles> params() {
        return {
            {"point", &Styles::point, "CSS for a mark at the point of the action. Left out, there is none."},
            {"highlight", &Styles::highlight, "CSS for a box over the element. Left out, there is none."},
            {"title", &Styles::title, "CSS for the name of the action."},
        };
    }
};

struct ShowParams {
    std::optional<double> duration;
    std::optional<Position> position;
    std::optional<Cursor> cursor;
    std::optional<Styles> style;
};

Task<> show_actions(Session& session, ShowParams params, Response& response) {
    auto tab = co_await open_tab(session);
    engine::ActionNotes notes{.cursor = params.cursor != Cursor::None};
    if (params.duration) notes.duration = milliseconds(*params.duration);
    if (params.position) notes.position = schema::name_of(*params.position);
    if (params.style) {
        notes.point_style = params.style->point.value_or("");
        notes.highlight_style = params.style->highlight.value_or("");
        notes.title_style = params.style->title.value_or("");
    }
    tab->page().annotate_actions(std::move(notes));
    response.add_text("Action annotations enabled.");
}

Task<> hide_actions(Session& session, schema::NoParams, Response& response) {
    auto tab = co_await open_tab(session);
    tab->page().annotate_actions(std::nullopt);
    response.add_text("Action annotations disabled.");
}

}  // namespace

std::vector<Tool> video_tools(const SessionResolver& sessions) {
    return {
        session_tool<StartParams>(
            sessions,
            {
                .name = "browser_start_video",
                .title = "Start video",
                .description = "Record the tabs as WebM videos until browser_stop_video. Needs ffmpeg.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .params =
                    {
                        {"filename", &StartParams::filename,
                         "File to save to, relative to the workspace. Default: video-<time>.webm."},
                        {"size", &StartParams::size, "Size of the video. Default 800 by 600."},
                        {"fps", &StartParams::fps, "Pictures a second. Default 25."},
                        {"cursor", &StartParams::cursor,
                         "Show a pointer that travels to each action; each then takes 800 ms longer."},
                    },
                .handler = start_video,
            }),
        session_tool<schema::NoParams>(sessions,
                                       {
                                           .name = "browser_stop_video",
                                           .title = "Stop video",
                                           .description = "End the recording and say where its files are.",
                                           .effect = Effect::ReadsPage,
                                           .capability = "devtools",
                                           .handler = stop_video,
                                       }),
        session_tool<ChapterParams>(
            sessions,
            {
                .name = "browser_video_chapter",
                .title = "Video chapter",
                .description =
                    "Show a card with a title over the whole page for a while, for people who watch.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .params =
                    {
                        {"title", &ChapterParams::title, "The title."},
                        {"description", &ChapterParams::description, "A smaller text below it."},
                        {"duration", &ChapterParams::duration, "Milliseconds to show it. Default 2000."},
                    },
                .handler = show_chapter,
            }),
        session_tool<ShowParams>(
            sessions,
            {
                .name = "browser_video_show_actions",
                .title = "Show action overlays",
                .description =
                    "From now on, name each action on the page while it is done, for people who watch.",
                .effect = Effect::ReadsPage,
                .capability = "devtools",
                .params =
                    {
                        {"duration", &ShowParams::duration, "Milliseconds to show each. Default 500."},
                        {"position", &ShowParams::position, "Where the name stands. Default top-right."},
                        {"cursor", &ShowParams::cursor,
                         "pointer (default): a pointer travels to each action; none: no pointer."},
                        {"style", &ShowParams::style, "How it looks."},
                    },
                .handler = show_actions,
            }),
        session_tool<schema::NoParams>(sessions,
                                       {
                                           .name = "browser_video_hide_actions",
                                           .title = "Hide action overlays",
                                           .description = "Name actions no more.",
                                           .effect = Effect::ReadsPage,
                                           .capability = "devtools",
                                           .handler = hide_actions,
                                       }),
    };
}

}  // namespace tools
