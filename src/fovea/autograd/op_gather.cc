// Reading by index: rows of a table, slices along an axis, one number per row.
#include <algorithm>

#include "fovea/autograd/ops.h"
#include "fovea/autograd/record.h"
#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

void check_ids(std::string_view name, const Ids& ids, Index count) {
  for (Index i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= count) {
      fail("{}: id {} at position {} is not in [0, {})", name, ids[i], i, count);
    }
  }
}

}  // namespace

Var embedding(const Var& table, const Ids& ids) {
  const Axes n("embedding", {{"table", table.shape(), "vocab dim"}});
  check_ids("embedding", ids, n["vocab"]);
  const Index dim = n["dim"];
  const Tensor rows = table.value().packed();
  Tensor y(ids.shape().inserted(-1, dim));
  parallel_for(ids.size(), std::max<Index>(1, 16384 / std::max<Index>(1, dim)),
               [&](Index begin, Index end) {
                 for (Index i = begin; i < end; ++i)
                   std::copy_n(rows.data() + ids[i] * dim, dim, y.data() + i * dim);
               });
  return record("embedding", y, {table}, [=](const Tensor& d_y) {
    add_rows_to_grad(table, ids, d_y.packed().reshape({ids.size(), dim}));
  });
}

Var gather(const Var& x, int axis, const Ids& ids) {
  const int a = x.shape().axis("gather", axis);
  check_ids("gather", ids, x.shape(a));
  Tensor y(x.shape().with(a, ids.size()));
  for (Index i = 0; i < ids.size(); ++i) {
    Tensor target = y.slice(a, i, i + 1);
    copy_into(x.value().slice(a, ids[i], ids[i] + 1), target);
  }
  return record("gather", y, {x}, [=](const Tensor& d_y) {
    Tensor d_x = Tensor::zeros(x.shape());
    for (Index i = 0; i < ids.size(); ++i) {
      Tensor target = d_x.slice(a, ids[i], ids[i] + 1);
      copy_into(zip(Binary::kAdd, target, d_y.slice(a, i, i + 1)), target);
    }
    add_to_grad(x, d_x);
  });
}

Var pick(const Var& x, const Ids& ids) {
  if (x.shape().rank() == 0) fail("pick: one number has no axis to pick from");
  const Index columns = x.shape(-1), rows = x.shape().rows();
  if (ids.size() != rows)
    fail("pick: {} ids for {} rows of {}", ids.size(), rows, x.shape().text());
  check_ids("pick", ids, columns);
  const Tensor values = x.value().packed();
  Tensor y(x.shape().removed(-1));
  for (Index i = 0; i < rows; ++i) y.data()[i] = values.data()[i * columns + ids[i]];
  return record("pick", y, {x}, [=](const Tensor& d_y) {
    Tensor d_x = Tensor::zeros(x.shape());
    const Tensor d = d_y.packed();
    for (Index i = 0; i < rows; ++i) d_x.data()[i * columns + ids[i]] = d.data()[i];
    add_to_grad(x, d_x);
  });
}

}  // namespace fovea
