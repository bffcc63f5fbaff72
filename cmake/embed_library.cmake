# Writes OUTPUT, a C++ file that holds every .cradle file of FOLDER as text.
file(GLOB files "${FOLDER}/*.cradle")
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND entries "    {\"std/${name}\", R\"_cradle_(${text})_cradle_\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"library/embedded.hpp\"

namespace cradle {

const std::vector<std::pair<std::string, std::string>>& embedded_library() {
  static const std::vector<std::pair<std::string, std::string>> files = {
${entries}  };
  return files;
}

}  // namespace cradle
")
