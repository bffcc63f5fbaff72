#pragma once
// A folder of pages, to be read: `cradle docs`.

#include <string>

#include "app/serve/server.hpp"

namespace cradle::serve {

// `folder` is absolute and without links. GET only; / and folders are their index.html.
Response answer_from_site(const std::string& folder, const Request& request);

}  // namespace cradle::serve
