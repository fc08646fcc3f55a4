/* Preloaded into PyTorch by against_torch: its matrix products go to oneDNN, as fast as a good BLAS.
   Debian's OpenBLAS takes current Xeons for one of 2004 and is five times slower, which would make
   the comparison meaningless. oneDNN counts by rows, BLAS by columns, so the operands change places. */
#include <oneapi/dnnl/dnnl.h>

static char transposed(char flag) { return flag == 'n' || flag == 'N' ? 'N' : 'T'; }

void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc) {
  dnnl_sgemm(transposed(*tb), transposed(*ta), *n, *m, *k, *alpha, b, *ldb, a, *lda, *beta, c, *ldc);
}
