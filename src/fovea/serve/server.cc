#include "fovea/serve/server.h"

#include <microhttpd.h>
#include <strings.h>
#include <unistd.h>

#include <charconv>
#include <condition_variable>
#include <cstring>
#include <set>
#include <thread>

#include "fovea/base/parallel.h"
#include "fovea/io/source.h"
#include "fovea/serve/assets.h"
#include "fovea/serve/exchange.h"
#include "fovea/serve/guard.h"
#include "fovea/serve/listening.h"
#include "fovea/serve/metrics.h"
#include "fovea/serve/work_queue.h"
#include "fovea/viewer/page.h"

namespace fovea {
namespace {

using Clock = std::chrono::steady_clock;
using State = Connections::State;

// Request line and headers of a connection have to fit in.
constexpr std::size_t kConnectionMemory = 16 * 1024;
// Connections that were cut and are not closed yet, so that libmicrohttpd never is the one to
// refuse.
constexpr Index kBeingClosed = 256;
constexpr Index kOtherFiles = 64;
constexpr Index kOfOneAddress = 256;
constexpr std::chrono::milliseconds kWatchEvery{50};
constexpr const char* kStopping = "the server is stopping; ask again when it is back";

constexpr std::pair<const char*, const char*> kSecurityHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"}};

std::string_view header(MHD_Connection* connection, const char* name) {
  const char* const value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int count_of_headers(MHD_Connection* connection, const char* name) {
  struct Counting {
    const char* name;
    int count = 0;
  } counting{name};
  const auto see = [](void* context, MHD_ValueKind, const char* key, const char*) {
    auto& c = *static_cast<Counting*>(context);
    c.count += ::strcasecmp(key, c.name) == 0 ? 1 : 0;
    return MHD_YES;
  };
  MHD_get_connection_values(connection, MHD_HEADER_KIND, see, &counting);
  return counting.count;
}

MHD_Response* response_of(Reply&& reply) {
  if (!reply.kept.empty()) {
    return MHD_create_response_from_buffer(reply.kept.size(), const_cast<char*>(reply.kept.data()),
                                           MHD_RESPMEM_PERSISTENT);
  }
  auto body = std::make_unique<std::string>(std::move(reply.body));
  MHD_Response* const response = MHD_create_response_from_buffer_with_free_callback_cls(
      body->size(), body->data(), [](void* owned) { delete static_cast<std::string*>(owned); },
      body.get());
  if (response != nullptr) body.release();
  return response;
}

ServerOptions settled(ServerOptions o) {
  if (!is_loopback(o.address) && o.token.empty()) {
    fail("{}: others can reach this address, so a token is needed: --token TOKEN", o.address);
  }
  if (o.workers == 0) o.workers = threads();
  const Index files = raise_open_files(o.connections.most + kBeingClosed + kOtherFiles);
  o.connections.most =
      std::max<Index>(16, std::min(o.connections.most, files - kBeingClosed - kOtherFiles));
  if (o.connections.most_of_address == 0) {
    o.connections.most_of_address = is_loopback(o.address) ? o.connections.most : kOfOneAddress;
  }
  return o;
}

}  // namespace

class Server::Impl {
 public:
  Impl(std::vector<ServedModel> models, const ServerOptions& options)
      : options_(settled(options)),
        service_(std::move(models), options.longest),
        listening_(listen_at(options.address, options.port)),
        guard_{options_.token, listening_.loopback && options_.token.empty()},
        connections_(options_.connections),
        queue_(options_.workers, options_.queue) {
    start();
    watcher_ = std::thread([this] { watch(); });
  }

  ~Impl() { stop(); }

  void stop();

  const Listening& listening() const { return listening_; }
  Index answered() const { return answered_; }

 private:
  void start();
  void watch();

  // Called by libmicrohttpd, on its thread.
  MHD_Result admit(const sockaddr* address);
  void connection_changed(MHD_Connection* connection, void** line,
                          MHD_ConnectionNotificationCode code);
  MHD_Result handle(MHD_Connection* connection, const char* path, const char* method,
                    const char* data, std::size_t* size, void** context);
  void completed(void** context);

  std::shared_ptr<Exchange> begin(MHD_Connection* connection, const char* path,
                                  const char* method) const;
  std::optional<Reply> at_headers(Exchange& exchange);
  void check_body(Exchange& exchange);
  Index announced_length(MHD_Connection* connection) const;
  Reply get(const Exchange& exchange) const;
  MHD_Result send(Exchange& exchange);

  void hand_over(const std::shared_ptr<Exchange>& exchange);
  Reply work(Exchange& exchange);  // on a worker
  void answer(const std::shared_ptr<Exchange>& exchange, Reply reply);

  const ServerOptions options_;
  const Service service_;
  const Listening listening_;
  const Guard guard_;
  const Asset page_{page_html(), "text/html; charset=utf-8"};
  const Asset script_{page_script(), "text/javascript; charset=utf-8"};
  const Asset style_{page_style(), "text/css; charset=utf-8"};
  Metrics metrics_;
  Connections connections_;
  std::atomic<Index> bodies_{0};  // bytes of options_.bodies that are taken
  std::atomic<Index> answered_{0};
  std::atomic<bool> stopping_{false};
  WorkQueue queue_;
  std::mutex mutex_;
  std::set<std::shared_ptr<Exchange>> working_;  // guarded by mutex_
  std::condition_variable end_;
  bool ended_ = false;  // guarded by mutex_
  std::thread watcher_;
  MHD_Daemon* daemon_ = nullptr;
};

void Server::Impl::start() {
  daemon_ = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0,
      [](void* impl, const sockaddr* address, socklen_t) {
        return static_cast<Impl*>(impl)->admit(address);
      },
      this,
      [](void* impl, MHD_Connection* connection, const char* path, const char* method, const char*,
         const char* data, std::size_t* size, void** context) {
        return static_cast<Impl*>(impl)->handle(connection, path, method, data, size, context);
      },
      this, MHD_OPTION_LISTEN_SOCKET, listening_.socket,  //
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemory,
      MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(options_.connections.most + kBeingClosed),
      MHD_OPTION_NOTIFY_CONNECTION,
      +[](void* impl, MHD_Connection* connection, void** line,
          MHD_ConnectionNotificationCode code) {
        static_cast<Impl*>(impl)->connection_changed(connection, line, code);
      },
      this, MHD_OPTION_NOTIFY_COMPLETED,
      +[](void* impl, MHD_Connection*, void** context, MHD_RequestTerminationCode) {
        static_cast<Impl*>(impl)->completed(context);
      },
      this, MHD_OPTION_UNESCAPE_CALLBACK,
      +[](void*, MHD_Connection*, char* text) { return std::strlen(text); }, nullptr,
      MHD_OPTION_END);
  if (daemon_ == nullptr) {
    ::close(listening_.socket);
    fail("serve: the server could not be started; are there files and threads left to open?");
  }
}

void Server::Impl::stop() {
  if (daemon_ == nullptr) return;
  stopping_ = true;
  const MHD_socket socket = MHD_quiesce_daemon(daemon_);
  if (socket != MHD_INVALID_SOCKET) ::close(socket);
  queue_.finish();
  const auto patience = Clock::now() + options_.farewell;
  while (connections_.busy() > 0 && Clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  MHD_stop_daemon(daemon_);
  daemon_ = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  watcher_.join();
}

// Cuts slow clients, and answers requests whose time is over.
void Server::Impl::watch() {
  std::unique_lock lock(mutex_);
  while (!end_.wait_for(lock, kWatchEvery, [this] { return ended_; })) {
    const auto now = Clock::now();
    std::vector<std::shared_ptr<Exchange>> overdue;
    for (const auto& exchange : working_) {
      if (now - exchange->start > options_.time) overdue.push_back(exchange);
    }
    lock.unlock();
    for (const auto& exchange : overdue) {
      exchange->stop = true;
      answer(exchange,
             error_reply(504, fmt::format("{}: no answer within the {} s a request may take; its "
                                          "work was stopped, ask for less at a time",
                                          exchange->path,
                                          std::chrono::duration<double>(options_.time).count())));
    }
    connections_.cut_overdue(now);
    lock.lock();
  }
}

MHD_Result Server::Impl::admit(const sockaddr* address) try {
  return connections_.admit(address_text(address)) ? MHD_YES : MHD_NO;
} catch (const std::bad_alloc&) {
  return MHD_NO;
}

void Server::Impl::connection_changed(MHD_Connection* connection, void** line,
                                      MHD_ConnectionNotificationCode code) try {
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    if (*line != nullptr) connections_.closed(static_cast<Connections::Connection*>(*line));
    *line = nullptr;
    return;
  }
  const auto* address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  const auto* socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *line = connections_.opened(socket->connect_fd, address_text(address->client_addr));
} catch (const std::bad_alloc&) {
  *line = nullptr;  // its requests are not heard
}

// First with the headers, then with each part of the body, then without data, and again after the
// answer has been found.
MHD_Result Server::Impl::handle(MHD_Connection* connection, const char* path, const char* method,
                                const char* data, std::size_t* size, void** context) try {
  if (*context == nullptr) {
    auto* held = new std::shared_ptr<Exchange>(begin(connection, path, method));
    *context = held;
    Exchange& exchange = **held;
    if (exchange.line == nullptr) return MHD_NO;
    connections_.enter(exchange.line, State::kReceiving);
    exchange.reply = at_headers(exchange);
    // An answer at this moment ends the connection, which is right only for a body not worth
    // reading.
    return exchange.reply && exchange.length < 0 ? send(exchange) : MHD_YES;
  }
  const auto& exchange = *static_cast<std::shared_ptr<Exchange>*>(*context);
  if (*size > 0) {
    if (static_cast<Index>(exchange->body.size() + *size) > exchange->length) return MHD_NO;
    if (!exchange->reply) exchange->body.append(data, *size);
    *size = 0;
    return MHD_YES;
  }
  if (exchange->handed_over || exchange->reply) return send(*exchange);
  hand_over(exchange);
  return MHD_YES;
} catch (...) {  // out of memory
  return MHD_NO;
}

void Server::Impl::completed(void** context) {
  const std::unique_ptr<std::shared_ptr<Exchange>> held(
      static_cast<std::shared_ptr<Exchange>*>(*context));
  *context = nullptr;
  if (!held || (*held)->line == nullptr) return;
  bodies_ -= (*held)->reserved;
  connections_.enter((*held)->line, State::kIdle);
}

std::shared_ptr<Exchange> Server::Impl::begin(MHD_Connection* connection, const char* path,
                                              const char* method) const {
  auto exchange = std::make_shared<Exchange>();
  exchange->connection = connection;
  exchange->line = static_cast<Connections::Connection*>(
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
  exchange->method = method;
  exchange->path = path;
  exchange->route = find_route(path);
  exchange->length = announced_length(connection);
  return exchange;
}

// What can be said before the body; nothing: go on reading.
std::optional<Reply> Server::Impl::at_headers(Exchange& exchange) try {
  if (stopping_) refuse(503, "{}", kStopping);
  const bool open = exchange.route != nullptr && exchange.route->open;
  const char* token =
      MHD_lookup_connection_value(exchange.connection, MHD_GET_ARGUMENT_KIND, "token");
  guard_.check({.host = header(exchange.connection, "Host"),
                .origin = header(exchange.connection, "Origin"),
                .site = header(exchange.connection, "Sec-Fetch-Site"),
                .authorization = header(exchange.connection, "Authorization"),
                .token = token == nullptr ? "" : token},
               open);
  if (exchange.route == nullptr) {
    refuse(404, "{}: there is nothing here; docs/api.md lists what there is",
           in_quotes(exchange.path));
  }
  const bool right = exchange.route->post ? exchange.method == "POST"
                                          : exchange.method == "GET" || exchange.method == "HEAD";
  if (!right) {
    const char* const allowed = exchange.route->post ? "POST" : "GET, HEAD";
    Reply reply = error_reply(405, fmt::format("{}: takes {}, not {}", exchange.path, allowed,
                                               in_quotes(exchange.method)));
    reply.headers.emplace_back("Allow", allowed);
    return reply;
  }
  if (!exchange.route->post) return get(exchange);
  check_body(exchange);
  return {};
} catch (const Refusal& refusal) {
  return error_reply(refusal.status(), refusal.what());
}

void Server::Impl::check_body(Exchange& exchange) {
  if (count_of_headers(exchange.connection, "Content-Length") > 1) {  // a proxy may take the other
    refuse(400, "{}: a body has one Content-Length", exchange.path);
  }
  if (!header(exchange.connection, "Transfer-Encoding").empty()) {
    refuse(411, "{}: a body needs its Content-Length", exchange.path);
  }
  if (exchange.length < 0) {
    refuse(413, "{}: a body of {} bytes, but at most {} are taken", exchange.path,
           header(exchange.connection, "Content-Length"), options_.body);
  }
  exchange.reserved = exchange.length;
  bodies_ += exchange.reserved;
  if (bodies_ > options_.bodies) refuse(503, "too many bodies are on their way; try again soon");
}

// -1: it is too long, or not known.
Index Server::Impl::announced_length(MHD_Connection* connection) const {
  if (!header(connection, "Transfer-Encoding").empty()) return -1;
  const std::string_view text = header(connection, "Content-Length");
  if (text.empty()) return 0;
  Index length = -1;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length <= options_.body ? length : -1;
}

Reply Server::Impl::get(const Exchange& exchange) const {
  const auto file = [&](const Asset& asset) {
    return asset.reply(header(exchange.connection, "If-None-Match"),
                       header(exchange.connection, "Accept-Encoding"));
  };
  switch (exchange.route->place) {
    case Place::kPage:
      return file(page_);
    case Place::kScript:
      return file(script_);
    case Place::kStyle:
      return file(style_);
    case Place::kModels:
      return {.body = service_.models()};
    case Place::kMetrics:
      return {.body = metrics_.text({.queue = queue_.waiting(),
                                     .running = queue_.running(),
                                     .connections = connections_.count()}),
              .type = "text/plain; version=0.0.4; charset=utf-8"};
    default:
      return {.body = R"({"status":"ok"})"};
  }
}

MHD_Result Server::Impl::send(Exchange& exchange) {
  Reply reply;
  {
    const std::lock_guard lock(exchange.mutex);
    if (!exchange.reply) return MHD_YES;
    reply = *std::move(exchange.reply);
  }
  connections_.enter(exchange.line, State::kSending);
  const std::chrono::duration<double> seconds = Clock::now() - exchange.start;
  const std::string route(exchange.route == nullptr ? "other" : exchange.route->path);
  metrics_.answered(route, reply.status, seconds.count());
  ++answered_;
  if (options_.log) {
    options_.log(fmt::format(
        "{} {} {} {} {} bytes {:.4f} s", exchange.line->address,
        exchange.route == nullptr ? in_quotes(exchange.method) : exchange.method,
        exchange.route == nullptr ? in_quotes(exchange.path) : exchange.path, reply.status,
        reply.kept.empty() ? reply.body.size() : reply.kept.size(), seconds.count()));
  }
  const auto status = static_cast<unsigned>(reply.status);
  const auto headers = std::move(reply.headers);
  const char* const type = reply.type;
  const bool cached = reply.status == 304 || !reply.kept.empty();
  MHD_Response* const response = response_of(std::move(reply));
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", type);
  if (!cached) MHD_add_response_header(response, "Cache-Control", "no-store");
  if (stopping_) MHD_add_response_header(response, "Connection", "close");
  for (const auto& [name, value] : kSecurityHeaders) MHD_add_response_header(response, name, value);
  for (const auto& [name, value] : headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  }
  const MHD_Result queued = MHD_queue_response(exchange.connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

// From here on the connection sleeps until answer() wakes it.
void Server::Impl::hand_over(const std::shared_ptr<Exchange>& exchange) {
  exchange->handed_over = true;
  connections_.enter(exchange->line, State::kWorking);
  {
    const std::lock_guard lock(mutex_);
    working_.insert(exchange);
  }
  MHD_suspend_connection(exchange->connection);
  const bool taken = queue_.push([this, exchange] {
    if (!exchange->stop) answer(exchange, work(*exchange));
  });
  if (!taken) {
    answer(exchange,
           error_reply(503, stopping_ ? std::string(kStopping)
                                      : fmt::format("{} requests wait already; try again soon",
                                                    options_.queue)));
  }
}

Reply Server::Impl::work(Exchange& exchange) try {
  Effort effort{.stop = &exchange.stop};
  Reply reply;
  if (exchange.route->place == Place::kRun) reply.body = service_.run(exchange.body, effort);
  if (exchange.route->place == Place::kExplain)
    reply.body = service_.explain(exchange.body, effort);
  if (exchange.route->place == Place::kPictures) reply.body = service_.pictures(exchange.body);
  if (exchange.route->place == Place::kAttend) reply.body = service_.attend(exchange.body);
  metrics_.read_pieces(effort.input_pieces, effort.output_pieces);
  return reply;
} catch (const Refusal& refusal) {
  return error_reply(refusal.status(), refusal.what());
} catch (const Error& error) {
  return error_reply(400, fmt::format("{}: {}", exchange.path, error.what()));
} catch (const std::bad_alloc&) {
  return error_reply(503, fmt::format("{}: not enough memory for this now", exchange.path));
} catch (const std::exception& error) {
  return error_reply(500, fmt::format("{}: {}; please report this", exchange.path, error.what()));
}

// The first answer counts; a later one is dropped.
void Server::Impl::answer(const std::shared_ptr<Exchange>& exchange, Reply reply) {
  {
    const std::lock_guard lock(mutex_);
    if (working_.erase(exchange) == 0) return;
  }
  {
    const std::lock_guard lock(exchange->mutex);
    exchange->reply = std::move(reply);
  }
  MHD_resume_connection(exchange->connection);
}

Server::Server(std::vector<ServedModel> models, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(models), options)) {}
Server::~Server() = default;

int Server::port() const { return impl_->listening().port; }
std::string Server::url() const {
  return fmt::format("http://{}:{}/", impl_->listening().host, port());
}
Index Server::answered() const { return impl_->answered(); }
void Server::stop() { impl_->stop(); }

}  // namespace fovea
