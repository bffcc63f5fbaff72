# Writes OUTPUT, a C++ file that holds every .cradle file below FOLDER as text: FUNCTION of
# NAMESPACE, declared in HEADER, gives their names, each with PREFIX before its path, and their texts.
file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*.cradle")
list(SORT files)
set(entries "")
foreach(name IN LISTS files)
  file(READ "${FOLDER}/${name}" text)
  string(APPEND entries "    {\"${PREFIX}${name}\", R\"_cradle_(${text})_cradle_\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace ${NAMESPACE} {

const std::vector<std::pair<std::string, std::string>>& ${FUNCTION}() {
  static const std::vector<std::pair<std::string, std::string>> files = {
${entries}  };
  return files;
}

}  // namespace ${NAMESPACE}
")
