// What tests of the server share: a server with a small model, and clients that speak HTTP by hand,
// so that they can do it badly.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "fovea/serve/server.h"
#include "fovea/training/translation_test_tools.h"

namespace fovea {

struct Answer {
  int status = 0;                                // 0: the connection ended without one
  std::map<std::string, std::string> headers{};  // names in lower case
  std::string body{};

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
  std::string message() const { return json().value("/error/message"_json_pointer, std::string()); }

 private:
  friend class Client;
};

class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = socket_ >= 0 &&
                 ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  Client(Client&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  Client& operator=(Client&&) = delete;
  ~Client() {
    if (socket_ >= 0) ::close(socket_);
  }

  bool connected() const { return connected_; }

  bool send(std::string_view bytes) {  // false: the other side has ended it
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  Answer answer(bool head = false) {
    Answer answer;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return answer;
    }
    const std::string top = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    answer.status = std::stoi(top.substr(9, 3));
    for (std::size_t at = top.find("\r\n") + 2; at < top.size();) {
      const std::size_t stop = top.find("\r\n", at), colon = top.find(": ", at);
      std::string name = top.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), ::tolower);
      answer.headers[name] = top.substr(colon + 2, stop - colon - 2);
      at = stop + 2;
    }
    const auto length = answer.headers.find("content-length");
    const std::size_t size = head || answer.status == 304 || length == answer.headers.end()
                                 ? 0
                                 : std::stoul(length->second);
    while (buffer_.size() < size && receive()) continue;
    answer.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return answer;
  }

  // Has the other side ended the connection, or does so within this time?
  bool ended_within(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 10) > 0 && !receive()) return true;
    }
    return false;
  }

 private:
  bool receive() {
    pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 60'000) <= 0) return false;
    char bytes[65536];
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count > 0) buffer_.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
  }

  int socket_;
  bool connected_ = false;
  std::string buffer_;
};

// `headers`: lines that end in \r\n.
inline std::string request(const std::string& method, const std::string& path,
                           const std::string& body = "", const std::string& headers = "") {
  const std::string length =
      body.empty() && method != "POST" ? "" : fmt::format("Content-Length: {}\r\n", body.size());
  return fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}{}\r\n{}", method, path, length,
                     headers, body);
}

inline Answer ask(int port, const std::string& method, const std::string& path,
                  const std::string& body = "", const std::string& headers = "") {
  Client client(port);
  client.send(request(method, path, body, headers));
  return client.answer(method == "HEAD");
}

inline const std::string kTranslateDog = R"({"model":"en-fr","input":"a dog"})";

// The small translator, loaded anew for each server.
inline std::vector<ServedModel> small_models(const std::vector<std::string>& names = {"en-fr"}) {
  static const ScratchFolder folder;
  static const std::string path = translator_in(folder);
  std::vector<ServedModel> models;
  for (const std::string& name : names) models.push_back(load_served_model(name, path));
  return models;
}

// A model of pictures that has learnt nothing: it says whether its picture is bright, or if it is
// to find words how large it is, and looks at all of four regions alike.
class PretendedModel : public ImageModel {
 public:
  PretendedModel(std::string task, const ImageInput& input)
      : task_(std::move(task)), input_(input) {}

  std::string task() const override { return task_; }
  std::string kind() const override { return "pretended"; }
  ImageInput input() const override { return input_; }
  bool asks() const override { return task_ == "answer"; }
  std::vector<std::string> classes() const override {
    return task_ == "caption" ? std::vector<std::string>()
                              : std::vector<std::string>{"dark", "bright"};
  }
  NamedTensors tensors() override { return {{"weight", Tensor::zeros({3, 5})}}; }
  std::string options_text() const override { return {}; }
  std::map<std::string, std::string> parts() const override { return {}; }
  std::vector<ImageSaid> say(std::span<const Image> images, const std::string&) const override {
    std::vector<ImageSaid> all;
    for (const Image& image : images) {
      const std::string size =
          fmt::format("{} x {} x {}", image.width, image.height, image.channels);
      all.push_back({asks() ? "bright" : size, {{"bright", 0.75}, {"dark", 0.25}}});
    }
    return all;
  }
  Trace trace(const Image& image, const std::string& question) const override {
    Trace trace = image_trace(*this, image);
    trace.input = question;
    trace.output = say(std::span(&image, 1), question)[0].text;
    trace.axes = {
        region_axis("regions", 2, 2, image),
        {.name = "target", .kind = "words", .labels = {{.text = trace.output, .word = 0}}}};
    trace.steps.push_back({.choices = {{"bright", 0.75}, {"dark", 0.25}}});
    trace.heads.push_back({.kind = "cross",
                           .queries = "target",
                           .keys = "regions",
                           .weights = Tensor::full({1, 4}, 0.25f)});
    return trace;
  }
  // The mean of all pixels, and what is left to 1.
  Seen see(const Var& pixels, const std::string&) const override {
    const Index rows = pixels.shape()[0];
    const Var bright = mean(reshape(pixels, {rows, -1}), 1, true);
    return {concat({1.0f - bright, bright}, 1), {}};
  }

 private:
  std::string task_;
  ImageInput input_;
};

inline ServedModel picture_model(const std::string& task,
                                 const ImageInput& input = {
                                     .width = 64, .height = 64, .channels = 3}) {
  const auto make = [=] { return std::make_unique<PretendedModel>(task, input); };
  return {task, PictureModel{make(), make}};
}

// A translator, and a model for each task that looks at pictures.
inline std::vector<ServedModel> all_models() {
  std::vector<ServedModel> models = small_models();
  for (const char* task : {"caption", "answer"}) models.push_back(picture_model(task));
  models.push_back(
      picture_model("glimpse", {.width = 60, .height = 60, .channels = 1, .any_size = true}));
  return models;
}

inline ServerOptions any_port() {
  ServerOptions options;
  options.port = 0;
  options.workers = 2;
  return options;
}

// Keeps a worker busy for some tenths of a second.
inline std::string long_work() {
  const std::string row = "[1,0],";
  std::string rows = "[";
  for (int i = 0; i < 255; ++i) rows += row;
  rows += "[0,1]]";
  return fmt::format(R"({{"query":{0},"key":{0},"value":{0},"samples":300}})", rows);
}

}  // namespace fovea
