// Beast's own code, compiled here once instead of in every file that includes it.
#include <boost/beast/src.hpp>
