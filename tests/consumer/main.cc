// A program that knows fovea only as an installed package.
#include <cstdio>

#include "fovea/base/error.h"

int main() {
  try {
    fovea::fail("consumer: {} words arrived", 3);
  } catch (const fovea::Error& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
