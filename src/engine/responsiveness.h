// Browsers that stop answering.
#pragma once

namespace engine {

// Implemented by browsers and contexts of engines that notice it.
class Responsiveness {
public:
    virtual ~Responsiveness() = default;

    // Whether it was lost because the browser stopped answering. A browser that we started is killed then.
    virtual bool is_unresponsive() const = 0;
};

}  // namespace engine
