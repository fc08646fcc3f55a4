// The plain files in .tar archives (ustar, pax, GNU), also compressed by gzip; and writing them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/index.h"
#include "fovea/io/source.h"

namespace fovea {

struct TarMember {
  std::string name;  // with its folders, without "./" before it
  Index begin = 0;   // its bytes in the archive
  Index size = 0;
};

// Folders, links and devices are passed over; of a name that comes again, the last one counts. An
// archive that is compressed is kept in memory.
class TarArchive {
 public:
  static TarArchive file(const std::string& path);
  static TarArchive memory(std::string_view bytes, std::string name);  // `bytes` must outlive this

  const std::string& name() const { return source_.name(); }
  const std::vector<TarMember>& members() const { return members_; }  // ordered by name
  std::string read(const TarMember& member) const;  // from several threads at a time, if need be

 private:
  explicit TarArchive(ByteSource source);

  std::unique_ptr<std::string> inflated_;
  ByteSource source_;
  std::vector<TarMember> members_;
};

// What stands before the bytes of a member, behind them, and at the end. Without a date and an
// owner, so that the same content gives the same bytes. Names of up to 100 bytes.
std::string tar_header(std::string_view name, Index size);
std::string tar_padding(Index size);
std::string tar_end();

}  // namespace fovea
