// A claim on a file that is written again and again: one process of this machine holds it at a
// time. It ends with its process, however that ends, and leaves nothing in the folder.
#pragma once

#include <string>

namespace fovea {

class Claim {
 public:
  explicit Claim(const std::string& path);  // fails while another one holds it
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

 private:
  int socket_ = -1;
};

}  // namespace fovea
