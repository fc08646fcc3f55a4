// Whole sequences through a GRU (Cho et al. 2014; reset after the product) or an LSTM (Hochreiter
// and Schmidhuber 1997).
//
// Sequences are packed: rows of step t, the sequences longer than t, longest first, stand at
// [offset[t], offset[t + 1]) of every [row, ...] array, so that padding costs nothing. Both
// directions of a layer advance in the same parallel region, one region a step; each chunk
// multiplies the state into some units' gates and finishes these units at once.
#pragma once

#include <span>

#include "fovea/base/enum_names.h"
#include "fovea/base/index.h"
#include "fovea/kernels/matmul.h"

namespace fovea::kernels {

enum class Cell { kGru, kLstm };
constexpr std::array<const char*, 2> names_of(Cell) { return {"gru", "lstm"}; }

constexpr int gate_count(Cell cell) { return cell == Cell::kGru ? 3 : 4; }

// GRU, gates r z n:   r, z = sigmoid(x_r + h U_r), sigmoid(x_z + h U_z);  m = h U_n + bias_n
//                     n = tanh(x_n + r m);  h' = n + z (h - n)
// LSTM, gates i f g o: c' = sigmoid(f) c + sigmoid(i) tanh(g);  h' = sigmoid(o) tanh(c')
struct RecurrentForward {
  Cell cell;
  Index steps, hidden;
  const Index* offset;         // [steps + 1]
  bool reverse;                // from the last step to the first
  const float* h0;             // [batch, hidden], in packed order; null: zeros
  const float* c0;             // LSTM
  const PackedMatrix* weight;  // one [hidden, hidden] per gate: U
  const float* bias;           // [gates, hidden], added to h U
  float* gates;   // [row, gates, hidden]: x's part comes in, the activated gates go out
  float* h_in;    // [row, hidden]: the state each step starts from
  float* c_in;    // [row, hidden]: LSTM
  float* middle;  // [row, hidden]: GRU: m;  LSTM: tanh(c')
  float* h;       // [row, hidden]: the state each step ends with
  float* c_last;  // [batch, hidden]: LSTM: c' of each sequence's last step
};
void recurrent(std::span<const RecurrentForward> directions);

// One step whose products h U are there already: product [row, gates, hidden]. weight is not looked
// at.
void recurrent_step(const RecurrentForward& work, const float* product);

// Walks back through the same arrays. d_gates are the gradients of what enters each gate;
// d_recurrent of h U + bias, which differs from d_gates in n alone, so GRU keeps d_m = d_n r beside
// it.
struct RecurrentBackward {
  Cell cell;
  Index steps, hidden;
  const Index* offset;
  bool reverse;
  const PackedMatrix* weight_transposed;  // one [hidden, hidden] per gate
  const float* gates;
  const float* h_in;
  const float* c_in;
  const float* middle;
  const float* d_h;       // [row, hidden], from outside
  const float* d_c_last;  // [batch, hidden] or null: LSTM
  float* d_gates;         // [row, gates, hidden]
  Index d_gates_row;      // numbers from one row to the next
  float* d_middle;        // [row, hidden]: GRU: d_m
  float* d_h_in;          // [row, hidden]: gradient of each step's starting state
  float* d_c_in;          // [row, hidden]: LSTM
};
void recurrent_backward(std::span<const RecurrentBackward> directions);

// One step, without the way through h U: d_h_in holds what reaches the starting state past the
// gates.
void recurrent_step_backward(const RecurrentBackward& work);

}  // namespace fovea::kernels
