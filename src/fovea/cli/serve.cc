// fovea serve: the page and the JSON API of models.
#include <fmt/ranges.h>
#include <semaphore.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <ostream>

#include "fovea/cli/text.h"
#include "fovea/cli/verb.h"
#include "fovea/serve/server.h"

namespace fovea::cli {
namespace {

struct ServeFlags {
  std::vector<std::string> models;
  ServerOptions options;
  Index seconds = 30;
  bool verbose = false;
};

sem_t served_enough;
std::atomic<bool> asked_before = false;

extern "C" void ask_server_to_stop(int number) {
  if (asked_before.exchange(true)) {  // the second time: at once
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  sem_post(&served_enough);
}

void wait_for_signal() {
  while (sem_wait(&served_enough) != 0) continue;  // interrupted by the signal itself
}

void check_token(const std::string& token) {
  const bool good =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
  if (!good) throw UsageError("--token: visible ASCII characters without spaces are needed");
}

void serve(const ServeFlags& f, std::ostream& out, std::ostream& err) {
  ServerOptions options = f.options;
  const char* const kept = std::getenv("FOVEA_TOKEN");
  if (options.token.empty() && kept != nullptr) options.token = kept;
  check_token(options.token);
  options.time = std::chrono::seconds(f.seconds);
  if (f.verbose)
    options.log = [&err](const std::string& line) { err << line + "\n" << std::flush; };
  sem_init(&served_enough, 0, 0);
  asked_before = false;
  const std::vector<std::string> names = served_names(f.models);
  std::vector<ServedModel> models;
  for (std::size_t i = 0; i < names.size(); ++i) {
    models.push_back(load_served_model(names[i], f.models[i]));
  }
  std::signal(SIGPIPE, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, ask_server_to_stop);
  Server server(std::move(models), options);
  out << fmt::format("serving {} at {}{} (Ctrl-C ends)\n", fmt::join(names, ", "), server.url(),
                     options.token.empty() ? "" : "?token=TOKEN")
      << std::flush;
  wait_for_signal();
  err << "finishing what is running; once more ends at once\n" << std::flush;
  server.stop();
  out << fmt::format("stopped after {}\n", counted(server.answered(), "request"));
}

Work define_serve(Arguments& app) {
  const auto f = std::make_shared<ServeFlags>();
  ServerOptions& o = f->options;
  app.add_option("MODEL", f->models, "what fovea train has written, one or more")->required();
  app.add_option("--port", o.port, "where to listen; 0 takes a free one (8080)")
      ->check(whole_number(0, 65535))
      ->type_name("P");
  app.add_option("--address", o.address,
                 "127.0.0.1 is this machine alone; any other needs --token (127.0.0.1)")
      ->type_name("A");
  app.add_option("--token", o.token,
                 "what who asks has to know; better in the environment, as FOVEA_TOKEN, where "
                 "others do not see it")
      ->type_name("T");
  app.add_count("--longest", o.longest, "pieces of an input; more is refused (500)");
  app.add_option("--seconds", f->seconds, "that a request may take (30)")
      ->check(whole_number(1, 86400))
      ->type_name("N");
  app.add_option("--queue", o.queue, "requests that may wait; more are told to come back (256)")
      ->check(whole_number(1, 100'000))
      ->type_name("N");
  app.add_option("--body", o.body, "bytes of a request; more is refused (1048576)")
      ->check(whole_number(1024, 1 << 28))
      ->type_name("N");
  app.add_option("--connections", o.connections.most,
                 "open at a time; then the one that was idle longest is closed (4096)")
      ->check(whole_number(16, 1'000'000))
      ->type_name("N");
  add_threads_option(app);
  app.add_flag("--verbose", f->verbose, "a line on standard error for each request");
  return [f](std::ostream& out, std::ostream& err) { serve(*f, out, err); };
}

}  // namespace

Verb serve_verb() {
  return {
      .name = "serve",
      .usage = "MODEL... [--port P] [--address A] [--token T] [options]",
      .summary = "the page and the JSON API of trained models",
      .about =
          R"(Serves a page that shows where models look, and the API behind it (docs/api.md), to this
machine alone unless told otherwise. Models are named after their files. Ctrl-C, or a polite
kill, finishes what is running.)",
      .examples = {{"fovea serve en-fr.safetensors", "then open http://127.0.0.1:8080/"},
                   {"fovea serve a.safetensors b.safetensors --port 0",
                    "two models, any free port"},
                   {"FOVEA_TOKEN=secret fovea serve en-fr.safetensors --address 0.0.0.0",
                    "for others, who need to know the token"}},
      .define = define_serve};
}

}  // namespace fovea::cli
