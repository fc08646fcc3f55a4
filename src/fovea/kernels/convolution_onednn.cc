// Convolution by oneDNN. It chooses blocked layouts; a slice is moved into them and out again while
// it is in the cache, which costs a tenth of what the plain layout costs (docs/performance.md).
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "fovea/base/buffer.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/convolution_engines.h"
#include "fovea/kernels/onednn.h"

namespace fovea::kernels {
namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;

const dnnl::engine& cpu() {
  static const auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

// Working memory comes with each call, so that several threads may run one primitive at once.
dnnl::primitive_attr with_own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Buffer buffer_for(const memory::desc& layout) {
  return Buffer(ceil_div(static_cast<Index>(layout.get_size()), sizeof(float)));
}

struct Step {
  dnnl::primitive primitive;
  memory::desc scratchpad;

  template <class Description>
  static Step of(const Description& description) {
    return {dnnl::primitive(description.get()), description.scratchpad_desc()};
  }

  void operator()(Arguments arguments) const {
    const Buffer space = buffer_for(scratchpad);
    arguments.emplace(DNNL_ARG_SCRATCHPAD, memory(scratchpad, cpu(), space.data()));
    const CallsOneDnn guard;
    dnnl::stream stream(cpu());
    primitive.execute(stream, arguments);
    stream.wait();
  }
};

// An argument where the primitive reads or writes it: the caller's own memory, or a moved copy.
struct Placed {
  memory numbers;
  Buffer copy;
};

// An argument of a primitive: its layout in the caller's memory and in the primitive's.
struct Argument {
  memory::desc plain, blocked;
  Step move;  // from one to the other, if they differ

  bool moves() const { return plain != blocked; }

  Placed place(float* at) const {
    if (!moves()) return {memory(plain, cpu(), at), {}};
    Buffer copy = buffer_for(blocked);
    return {memory(blocked, cpu(), copy.data()), copy};
  }
  Placed read(const float* at) const {
    float* const source = const_cast<float*>(at);  // oneDNN's memory does not know const
    Placed placed = place(source);
    if (moves())
      move({{DNNL_ARG_FROM, memory(plain, cpu(), source)}, {DNNL_ARG_TO, placed.numbers}});
    return placed;
  }
  void write(const Placed& placed, float* at) const {
    if (moves()) move({{DNNL_ARG_FROM, placed.numbers}, {DNNL_ARG_TO, memory(plain, cpu(), at)}});
  }
};

Argument argument(const memory::desc& plain, const memory::desc& blocked, bool is_result) {
  if (plain == blocked) return {plain, blocked, {}};
  const memory::desc &from = is_result ? blocked : plain, &to = is_result ? plain : blocked;
  return {plain, blocked,
          Step::of(dnnl::reorder::primitive_desc(cpu(), from, cpu(), to, with_own_scratchpad()))};
}

enum class Pass { kForward, kBackwardInput, kBackwardWeight };

struct Task {
  ConvShape shape;
  Pass pass;
  bool bias = false, relu = false;  // of the forward pass

  auto operator<=>(const Task&) const = default;
};

// All that is needed to run one pass on images of one shape. In backward passes x, weight and y
// stand for their gradients where those are read or written.
struct Plan {
  Step run;
  Argument x, weight, y;
};

// The layouts of a convolution, in the order of oneDNN's arguments.
struct Layouts {
  memory::desc x, weight, bias, y;
};

Layouts layouts(const ConvShape& s, bool plain) {
  using Tag = memory::format_tag;
  const auto type = memory::data_type::f32;
  const Tag image = plain ? Tag::nchw : Tag::any;
  Layouts result{{{s.batch, s.channel_in, s.height, s.width}, type, image},
                 {},
                 {{s.channel_out}, type, Tag::a},
                 {{s.batch, s.channel_out, s.out_height(), s.out_width()}, type, image}};
  const Index in = s.channel_in / s.groups, out = s.channel_out / s.groups;
  if (s.groups == 1) {
    result.weight = {
        {out, in, s.kernel_height, s.kernel_width}, type, plain ? Tag::oihw : Tag::any};
  } else {
    result.weight = {
        {s.groups, out, in, s.kernel_height, s.kernel_width}, type, plain ? Tag::goihw : Tag::any};
  }
  return result;
}

Plan make_plan(const Task& task) {
  const auto& [s, pass, has_bias, relu] = task;
  const CallsOneDnn guard;  // a primitive is planned for the threads that oneDNN sees
  const Layouts plain = layouts(s, true), any = layouts(s, false);
  const memory::dims stride{s.stride, s.stride}, padding{s.padding, s.padding};
  const memory::dims dilation{s.dilation - 1, s.dilation - 1};  // oneDNN counts the gaps
  const auto direct = dnnl::algorithm::convolution_direct;
  const auto training = dnnl::prop_kind::forward_training;
  auto attributes = with_own_scratchpad();
  const memory::desc bias = has_bias ? any.bias : memory::desc();
  if (relu) {
    dnnl::post_ops after;
    after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    attributes.set_post_ops(after);
  }
  const dnnl::convolution_forward::primitive_desc forward(
      {training, direct, any.x, any.weight, bias, any.y, stride, dilation, padding, padding},
      attributes, cpu());
  if (pass == Pass::kBackwardInput) {
    const dnnl::convolution_backward_data::primitive_desc backward(
        {direct, any.x, any.weight, any.y, stride, dilation, padding, padding}, attributes, cpu(),
        forward);
    return {Step::of(backward), argument(plain.x, backward.diff_src_desc(), true),
            argument(plain.weight, backward.weights_desc(), false),
            argument(plain.y, backward.diff_dst_desc(), false)};
  }
  if (pass == Pass::kBackwardWeight) {
    const dnnl::convolution_backward_weights::primitive_desc backward(
        {direct, any.x, any.weight, any.y, stride, dilation, padding, padding}, attributes, cpu(),
        forward);
    return {Step::of(backward), argument(plain.x, backward.src_desc(), false),
            argument(plain.weight, backward.diff_weights_desc(), true),
            argument(plain.y, backward.diff_dst_desc(), false)};
  }
  return {Step::of(forward), argument(plain.x, forward.src_desc(), false),
          argument(plain.weight, forward.weights_desc(), false),
          argument(plain.y, forward.dst_desc(), true)};
}

// Plans are kept: making one generates code, which costs milliseconds.
constexpr std::size_t kMostPlans = 256;

// Null where oneDNN cannot do the work.
std::shared_ptr<const Plan> plan(const Task& task) {
  using Plans = std::map<Task, std::shared_ptr<const Plan>>;
  static auto* const plans = new Plans;  // never destroyed: oneDNN's own statics may go first
  static auto* const mutex = new std::mutex;
  const std::lock_guard lock(*mutex);
  const auto known = plans->find(task);
  if (known != plans->end()) return known->second;
  if (plans->size() == kMostPlans) plans->clear();
  std::shared_ptr<const Plan> made;
  try {
    made = std::make_shared<const Plan>(make_plan(task));
  } catch (const dnnl::error&) {
  }
  return (*plans)[task] = made;
}

// The plan for whole slices of a batch, and the one for what is left at its end.
class Plans {
 public:
  Plans(Task task, Index slice) : slice_(slice), rest_(task.shape.batch % slice) {
    task.shape.batch = slice;
    whole = plan(task);
    if (rest_ == 0) return;
    task.shape.batch = rest_;
    rest = plan(task);
  }
  explicit operator bool() const { return whole && (rest_ == 0 || rest); }
  const Plan& of(Index images) const { return images == slice_ ? *whole : *rest; }

  std::shared_ptr<const Plan> whole, rest;

 private:
  Index slice_, rest_;
};

// The weight as each of the plans reads it, moved once for all slices.
struct Weights {
  Weights(const Plans& plans, const float* weight) : plans_(plans) {
    whole = plans.whole->weight.read(weight);
    if (plans.rest) rest = plans.rest->weight.read(weight);
  }
  const memory& of(const Plan& p) const {
    return (&p == plans_.whole.get() ? whole : rest).numbers;
  }

  Placed whole, rest;

 private:
  const Plans& plans_;
};

}  // namespace

bool onednn_forward(const ConvForward& work, Index slice) {
  const ConvShape& s = work.shape;
  const bool biased = work.bias != nullptr;
  const Plans plans({s, Pass::kForward, biased, work.relu}, slice);
  if (!plans) return false;
  const Weights weights(plans, work.weight);
  const memory bias(layouts(s, true).bias, cpu(), const_cast<float*>(work.bias));
  parallel_for(s.batch, slice, [&](Index begin, Index end) {
    const Plan& p = plans.of(end - begin);
    const Placed x = p.x.read(work.x + begin * s.in_image());
    float* const target = work.y + begin * s.out_image();
    const Placed y = p.y.place(target);
    Arguments arguments{
        {DNNL_ARG_SRC, x.numbers}, {DNNL_ARG_WEIGHTS, weights.of(p)}, {DNNL_ARG_DST, y.numbers}};
    if (biased) arguments.emplace(DNNL_ARG_BIAS, bias);
    p.run(std::move(arguments));
    p.y.write(y, target);
  });
  return true;
}

bool onednn_backward_input(const ConvBackwardInput& work, Index slice) {
  const ConvShape& s = work.shape;
  const Plans plans({s, Pass::kBackwardInput}, slice);
  if (!plans) return false;
  const Weights weights(plans, work.weight);
  parallel_for(s.batch, slice, [&](Index begin, Index end) {
    const Plan& p = plans.of(end - begin);
    const Placed d_y = p.y.read(work.d_y + begin * s.out_image());
    float* const target = work.d_x + begin * s.in_image();
    const Placed d_x = p.x.place(target);
    p.run({{DNNL_ARG_DIFF_DST, d_y.numbers},
           {DNNL_ARG_WEIGHTS, weights.of(p)},
           {DNNL_ARG_DIFF_SRC, d_x.numbers}});
    p.x.write(d_x, target);
  });
  return true;
}

bool onednn_backward_weight(const ConvBackwardWeight& work, Index slice, float* partial) {
  const ConvShape& s = work.shape;
  const Plans plans({s, Pass::kBackwardWeight}, slice);
  if (!plans) return false;
  parallel_for(s.batch, slice, [&](Index begin, Index end) {
    const Plan& p = plans.of(end - begin);
    const Placed x = p.x.read(work.x + begin * s.in_image());
    const Placed d_y = p.y.read(work.d_y + begin * s.out_image());
    float* const target = partial + begin / slice * s.weights();
    const Placed d_weight = p.weight.place(target);
    p.run({{DNNL_ARG_SRC, x.numbers},
           {DNNL_ARG_DIFF_DST, d_y.numbers},
           {DNNL_ARG_DIFF_WEIGHTS, d_weight.numbers}});
    p.weight.write(d_weight, target);
  });
  return true;
}

}  // namespace fovea::kernels
