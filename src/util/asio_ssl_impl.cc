// Asio's code for TLS, compiled here once; linked only where it is used.
#include <boost/asio/ssl/impl/src.hpp>
