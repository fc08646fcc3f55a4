#include "fovea/serve/server.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <thread>

#include "fovea/models/translation.h"
#include "fovea/serve/serve_test_tools.h"

namespace fovea {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Server, AnswersAtEveryRoute) {
  const Server server(small_models(), any_port());
  EXPECT_EQ(server.url(), fmt::format("http://127.0.0.1:{}/", server.port()));
  EXPECT_EQ(ask(server.port(), "GET", "/api/health").body, R"({"status":"ok"})");
  EXPECT_EQ(ask(server.port(), "GET", "/api/models").json()["models"][0]["name"], "en-fr");
  const Answer run = ask(server.port(), "POST", "/api/run", kTranslateDog);
  EXPECT_EQ(run.status, 200);
  EXPECT_EQ(run.json()["translations"][0]["text"], "a dog");
  EXPECT_EQ(ask(server.port(), "POST", "/api/explain", kTranslateDog).json()["output"], "a dog");
  EXPECT_EQ(
      ask(server.port(), "POST", "/api/attend", R"({"query":[[1]],"key":[[1]],"value":[[7]]})")
          .json()["output"],
      nlohmann::json({{7}}));
  const Answer page = ask(server.port(), "GET", "/?view=heads&token=x");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(page.body, HasSubstr("<html"));
  EXPECT_EQ(ask(server.port(), "GET", "/app.js").headers.at("content-type"),
            "text/javascript; charset=utf-8");
  EXPECT_EQ(ask(server.port(), "GET", "/app.css").headers.at("content-type"),
            "text/css; charset=utf-8");
  const Answer head = ask(server.port(), "HEAD", "/api/health");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), "15");
}

TEST(Server, CountsWhatItDoes) {
  const Server server(small_models(), any_port());
  ask(server.port(), "POST", "/api/run", kTranslateDog);
  ask(server.port(), "POST", "/api/run", "{");
  ask(server.port(), "GET", "/etc/passwd");
  const Answer answer = ask(server.port(), "GET", "/metrics");
  EXPECT_THAT(answer.headers.at("content-type"), StartsWith("text/plain; version=0.0.4"));
  for (const char* line :
       {"fovea_requests_total{route=\"/api/run\",status=\"200\"} 1\n",
        "fovea_requests_total{route=\"/api/run\",status=\"400\"} 1\n",
        "fovea_requests_total{route=\"other\",status=\"404\"} 1\n",
        "fovea_request_seconds_bucket{route=\"/api/run\",le=\"+Inf\"} 2\n",
        "fovea_request_seconds_count{route=\"/api/run\"} 2\n",
        "fovea_pieces_total{direction=\"input\"} 2\n", "fovea_queue_length 0\n",
        "# TYPE fovea_request_seconds histogram\n", "process_resident_memory_bytes "}) {
    EXPECT_THAT(answer.body, HasSubstr(line));
  }
}

TEST(Server, KeepsConnectionsOpenForTheNextRequest) {
  const Server server(small_models(), any_port());
  Client client(server.port());
  for (int i = 0; i < 5; ++i) {
    client.send(request("POST", "/api/run", kTranslateDog));
    EXPECT_EQ(client.answer().status, 200);
    client.send(request("GET", "/api/health"));
    EXPECT_EQ(client.answer().status, 200);
  }
  client.send(request("POST", "/nowhere", "1234") + request("GET", "/api/health", "a body"));
  EXPECT_EQ(client.answer().status, 404);
  EXPECT_EQ(client.answer().status, 200);
  client.send(request("POST", "/api/run", kTranslateDog) +
              request("GET", "/api/health"));  // at once
  EXPECT_EQ(client.answer().json()["translations"][0]["text"], "a dog");
  EXPECT_EQ(client.answer().body, R"({"status":"ok"})");
}

TEST(Server, EveryAnswerCarriesTheSecurityHeaders) {
  const Server server(small_models(), any_port());
  for (const char* path : {"/", "/app.js", "/api/models", "/metrics", "/nowhere"}) {
    const Answer answer = ask(server.port(), "GET", path);
    EXPECT_THAT(answer.headers.at("content-security-policy"), StartsWith("default-src 'self'"));
    EXPECT_THAT(answer.headers.at("content-security-policy"), HasSubstr("frame-ancestors 'none'"));
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer.headers.at("referrer-policy"), "no-referrer");
    EXPECT_EQ(answer.headers.at("cross-origin-resource-policy"), "same-origin");
    EXPECT_FALSE(answer.headers.contains("access-control-allow-origin"));
    EXPECT_EQ(answer.headers.at("cache-control"),
              std::string(path).starts_with("/a") && std::string(path) != "/api/models" ? "no-cache"
              : std::string(path) == "/"                                                ? "no-cache"
                                         : "no-store");
  }
}

TEST(Server, SendsThePagePackedAndOnlyWhenItChanged) {
  const Server server(small_models(), any_port());
  const Answer plain = ask(server.port(), "GET", "/app.js");
  const Answer packed = ask(server.port(), "GET", "/app.js", "", "Accept-Encoding: br, gzip\r\n");
  EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
  std::string content(plain.body.size(), '\0');
  z_stream zlib{};
  inflateInit2(&zlib, 15 + 16);
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.body.data()));
  zlib.avail_in = static_cast<uInt>(packed.body.size());
  zlib.next_out = reinterpret_cast<Bytef*>(content.data());
  zlib.avail_out = static_cast<uInt>(content.size());
  EXPECT_EQ(inflate(&zlib, Z_FINISH), Z_STREAM_END);
  inflateEnd(&zlib);
  EXPECT_EQ(content, plain.body);
  EXPECT_FALSE(ask(server.port(), "GET", "/app.js", "", "Accept-Encoding: gzip;q=0\r\n")
                   .headers.contains("content-encoding"));
  const std::string tag = plain.headers.at("etag");
  const Answer same =
      ask(server.port(), "GET", "/app.js", "", "If-None-Match: \"x\", " + tag + "\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.headers.at("etag"), tag);
  EXPECT_EQ(ask(server.port(), "GET", "/app.js", "", "If-None-Match: \"x\"\r\n").status, 200);
}

TEST(Server, NothingIsServedElsewhere) {
  const Server server(small_models(), any_port());
  for (const char* path :
       {"/api", "/api/", "/api/models/", "//api/models", "/../etc/passwd", "/app.js/../../x",
        "/%2e%2e/etc/passwd", "/api%2fmodels", "/api/models%00", "/%61pp.js", "/app.js%20",
        "/API/models", "/index.html", "/.", "/api/run;x", "*"}) {
    const Answer answer = ask(server.port(), "GET", path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_THAT(answer.message(), HasSubstr("there is nothing here")) << path;
  }
  EXPECT_EQ(ask(server.port(), "GET", "http://localhost/api/health").status, 404);
}

TEST(Server, WrongMethodsAreToldTheRightOne) {
  const Server server(small_models(), any_port());
  const Answer get = ask(server.port(), "GET", "/api/run");
  EXPECT_EQ(get.status, 405);
  EXPECT_EQ(get.headers.at("allow"), "POST");
  EXPECT_EQ(get.message(), "/api/run: takes POST, not 'GET'");
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"}) {
    const Answer answer = ask(server.port(), method, "/api/models");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD");
  }
}

TEST(Server, ErrorsNameTheirStatusAndReason) {
  const Server server(small_models(), any_port());
  const Answer answer = ask(server.port(), "POST", "/api/run", R"({"input":"a","colour":1})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_EQ(answer.body,
            R"({"error":{"status":400,"message":"/api/run: unknown field 'colour'; it takes )"
            R"(model, input, image, question, beams, best"}})");
  EXPECT_EQ(ask(server.port(), "POST", "/api/run", R"({"model":"x","input":"a"})").status, 404);
  EXPECT_EQ(ask(server.port(), "POST", "/api/run").message(),
            "/api/run: the body is empty; send a JSON object");
  EXPECT_EQ(ask(server.port(), "POST", "/api/run", "{\"input\":\"\xc0\xaf\"}").status, 400);
}

TEST(Server, PagesFromElsewhereMayNotAsk) {
  const Server server(small_models(), any_port());
  const auto status = [&](const std::string& headers) {
    return ask(server.port(), "POST", "/api/run", kTranslateDog, headers).status;
  };
  EXPECT_EQ(status("Origin: http://localhost\r\n"), 200);
  EXPECT_EQ(status("Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(status("Sec-Fetch-Site: cross-site\r\n"), 403);
  Client rebound(server.port());
  rebound.send("GET /api/models HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  const Answer answer = rebound.answer();
  EXPECT_EQ(answer.status, 403);
  EXPECT_THAT(answer.message(), HasSubstr("Host 'evil.example' is not this machine"));
}

TEST(Server, ATokenOpensAllButThePage) {
  ServerOptions options = any_port();
  options.token = "open sesame";
  const Server server(small_models(), options);
  const auto status = [&](const std::string& path, const std::string& headers = "") {
    return ask(server.port(), "GET", path, "", headers).status;
  };
  for (const char* path : {"/", "/app.js", "/app.css", "/api/health"}) EXPECT_EQ(status(path), 200);
  for (const char* path : {"/api/models", "/metrics", "/nowhere"}) EXPECT_EQ(status(path), 401);
  EXPECT_EQ(status("/api/models", "Authorization: Bearer open sesame\r\n"), 200);
  EXPECT_EQ(status("/api/models", "Authorization: Bearer open\r\n"), 401);
  EXPECT_EQ(status("/api/models?token=open%20sesame"), 200);
  EXPECT_EQ(status("/api/models?token=open"), 401);
  const Answer answer = ask(server.port(), "POST", "/api/run", kTranslateDog);
  EXPECT_EQ(answer.headers.at("www-authenticate"), "Bearer");
}

TEST(Server, OthersNeedAToken) {
  ServerOptions options = any_port();
  options.address = "0.0.0.0";
  EXPECT_EQ(error_of([&] { Server(small_models(), options); }),
            "0.0.0.0: others can reach this address, so a token is needed: --token TOKEN");
  options.token = "secret";
  const Server server(small_models(), options);
  EXPECT_EQ(ask(server.port(), "GET", "/api/models").status, 401);
}

TEST(Server, SaysWhyItCannotListen) {
  ServerOptions options = any_port();
  const Server server(small_models(), options);
  options.port = server.port();
  EXPECT_EQ(
      error_of([&] { Server(small_models(), options); }),
      fmt::format("cannot listen at 127.0.0.1 port {}: the port is in use; stop who has it, or "
                  "take another: --port 0 takes a free one",
                  server.port()));
  options.address = "example";
  EXPECT_EQ(error_of([&] { Server(small_models(), options); }),
            "'example' is no address to listen at; try 127.0.0.1 (this machine alone), 0.0.0.0 or "
            "::1");
}

TEST(Server, ListensAtOtherAddressesOfThisMachine) {
  ServerOptions options = any_port();
  options.address = "localhost";
  EXPECT_THAT(Server(small_models(), options).url(), StartsWith("http://127.0.0.1:"));
  options.address = "::1";
  try {
    EXPECT_THAT(Server(small_models(), options).url(), StartsWith("http://[::1]:"));
  } catch (const Error& error) {  // a machine without IPv6
    EXPECT_THAT(error.what(), HasSubstr("::1"));
  }
}

TEST(Server, ManyClientsAtOnceGetTheAnswersOfTheirQuestions) {
  const auto models = small_models();
  const TranslationModel* const model[] = {&std::get<TranslationModel>(models[0].model)};
  std::vector<nlohmann::json> expected;
  for (const std::string& sentence : kSentences) {
    const auto found = translate(model, std::span(&sentence, 1), {.search = {.n_best = 3}});
    nlohmann::json all = nlohmann::json::array();
    for (const Translation& t : found[0]) all.push_back({{"text", t.text}, {"score", t.score}});
    expected.push_back(all);
  }
  const Server server(small_models(), any_port());
  std::vector<std::thread> clients;
  std::atomic<int> right = 0;
  for (std::size_t c = 0; c < 16; ++c) {
    clients.emplace_back([&, c] {
      Client client(server.port());
      for (std::size_t i = 0; i < 20; ++i) {
        const std::size_t which = (c + i) % kSentences.size();
        client.send(request("POST", "/api/run",
                            nlohmann::json{{"input", kSentences[which]}, {"best", 3}}.dump()));
        const Answer answer = client.answer();
        if (answer.status == 200 && answer.json()["translations"] == expected[which]) ++right;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 16 * 20);
}

TEST(Server, TellsEachRequestToItsLog) {
  std::vector<std::string> lines;
  ServerOptions options = any_port();
  options.log = [&](const std::string& line) { lines.push_back(line); };
  {
    const Server server(small_models(), options);
    ask(server.port(), "GET", "/api/health?token=secret");
    ask(server.port(), "GET", "/\x1b[31m");
  }
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], StartsWith("127.0.0.1 GET /api/health 200 15 bytes 0.0"));
  EXPECT_THAT(lines[1], StartsWith("127.0.0.1 'GET' '/\\x1b[31m' 404 "));
}

TEST(Server, FinishesWhatRunsWhenItStops) {
  ServerOptions options = any_port();
  options.workers = 1;
  Server server(small_models(), options);
  Client running(server.port()), waiting(server.port()), idle(server.port());
  running.send(request("POST", "/api/attend", long_work()));
  waiting.send(request("POST", "/api/run", kTranslateDog));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server.stop();
  EXPECT_EQ(running.answer().status, 200);
  EXPECT_EQ(waiting.answer().json()["translations"][0]["text"], "a dog");
  EXPECT_TRUE(idle.ended_within(std::chrono::seconds(5)));
  EXPECT_EQ(Client(server.port()).connected(), false);
  EXPECT_EQ(server.answered(), 2);
}

}  // namespace
}  // namespace fovea
