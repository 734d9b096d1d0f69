// The one symbol of fmt 9 that clang looks for under another name than g++ has given it in Debian's library.
#include <fmt/format.h>

template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                            fmt::basic_format_args<fmt::buffer_context<char>>, fmt::detail::locale_ref);
