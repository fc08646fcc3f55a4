// Clients that are slow, broken or hostile: each gets its answer or is cut, and others are served
// on.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "fovea/serve/listening.h"
#include "fovea/serve/metrics.h"
#include "fovea/serve/serve_test_tools.h"

namespace fovea {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// As it should be at any time, whatever others do.
void expect_served(const Server& server) {
  EXPECT_EQ(ask(server.port(), "POST", "/api/run", kTranslateDog).json()["translations"][0]["text"],
            "a dog");
}

ServerOptions impatient() {
  ServerOptions options = any_port();
  options.connections.idle = options.connections.receiving = options.connections.sending =
      milliseconds(300);
  return options;
}

TEST(ServerLimits, ABodyThatIsTooLongIsRefusedBeforeItIsRead) {
  const Server server(small_models(), any_port());
  Client client(server.port());
  client.send("POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n");
  const Answer answer = client.answer();  // not a byte of the body was sent
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.message(), "/api/run: a body of 1048577 bytes, but at most 1048576 are taken");
  const std::string most = "{\"input\":\"" + std::string((1 << 20) - 12, ' ') + "\"}";
  EXPECT_EQ(most.size(), 1u << 20);
  EXPECT_EQ(ask(server.port(), "POST", "/api/run", most).status, 200);
  Client huge(server.port());
  huge.send(
      "POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n");
  const int status = huge.answer().status;
  EXPECT_TRUE(status == 413 || status == 400) << status;
}

TEST(ServerLimits, AGigabyteIsCutEarly) {
  const Server server(small_models(), any_port());
  const Index before = resident_bytes();
  Client client(server.port());
  client.send("POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n");
  const std::string part(1 << 16, 'x');
  Index sent = 0;
  while (sent < Index{1} << 30 && client.send(part)) sent += static_cast<Index>(part.size());
  EXPECT_LT(sent, Index{1} << 25);  // what the system buffers, and no more
  EXPECT_EQ(client.answer().status, 413);
  EXPECT_LT(resident_bytes() - before, Index{1} << 25);
  expect_served(server);
}

TEST(ServerLimits, ABodyNeedsItsLength) {
  const Server server(small_models(), any_port());
  Client client(server.port());
  client.send("POST /api/run HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  const Answer answer = client.answer();
  EXPECT_EQ(answer.status, 411);
  EXPECT_EQ(answer.message(), "/api/run: a body needs its Content-Length");
  Client two(server.port());
  two.send(
      "POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\ncontent-length: 3\r\n\r\n"
      "{} ");
  EXPECT_EQ(two.answer().message(), "/api/run: a body has one Content-Length");
  expect_served(server);
}

TEST(ServerLimits, ATestingClientIsToldToGoOnOrNot) {
  const Server server(small_models(), any_port());
  Client client(server.port());
  client.send(
      fmt::format("POST /api/run HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                  "Content-Length: {}\r\n\r\n",
                  kTranslateDog.size()));
  EXPECT_EQ(client.answer(true).status, 100);
  client.send(kTranslateDog);
  EXPECT_EQ(client.answer().status, 200);
  Client large(server.port());
  large.send(
      "POST /api/run HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 2000000\r\n\r\n");
  EXPECT_EQ(large.answer().status, 413);
}

TEST(ServerLimits, AllBodiesTogetherAreBounded) {
  ServerOptions options = any_port();
  options.bodies = 1000;
  const Server server(small_models(), options);
  Client first(server.port());
  first.send("POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 990\r\n\r\n{");
  std::this_thread::sleep_for(milliseconds(100));
  const Answer answer = ask(server.port(), "POST", "/api/run", kTranslateDog);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_EQ(ask(server.port(), "GET", "/api/health").status, 200);
  { const Client gone(std::move(first)); }
  std::this_thread::sleep_for(milliseconds(100));
  expect_served(server);
}

TEST(ServerLimits, HeadersThatAreTooLongAreRefused) {
  const Server server(small_models(), any_port());
  for (const std::string& bytes :
       {"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(1 << 20, 'x') +
            "\r\n\r\n",
        "GET /" + std::string(1 << 20, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"}) {
    Client client(server.port());
    client.send(bytes);
    const int status = client.answer().status;
    EXPECT_TRUE(status == 0 || (status >= 400 && status < 500)) << status;
    EXPECT_TRUE(client.ended_within(milliseconds(5000)));
    expect_served(server);
  }
  std::string many = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 10'000; ++i) many += fmt::format("X-{}: 1\r\n", i);
  Client client(server.port());
  client.send(many + "\r\n");
  EXPECT_NE(client.answer().status, 200);
  expect_served(server);
}

TEST(ServerLimits, WhatIsNoRequestIsRefusedOrCut) {
  const Server server(small_models(), impatient());
  for (const std::string& bytes :
       {std::string("\0\0\0\0\r\n\r\n", 8), std::string("\x16\x03\x01\x02\x00\x01", 6),
        std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n"),
        std::string("GET /api/health HTTP/1.1\r\n\r\n")}) {
    Client client(server.port());
    client.send(bytes);
    const int status = client.answer().status;
    EXPECT_TRUE(status == 0 || status >= 400) << status << " for " << bytes;
    expect_served(server);
  }
}

TEST(ServerLimits, AnInputThatIsTooLongIsRefused) {
  ServerOptions options = any_port();
  options.longest = 3;
  const Server server(small_models(), options);
  const Answer answer = ask(server.port(), "POST", "/api/run", R"({"input":"a a a a"})");
  EXPECT_EQ(answer.status, 413);
  EXPECT_THAT(answer.message(), HasSubstr("'input' has 4 pieces, but at most 3 are taken"));
}

TEST(ServerLimits, DeepAndBrokenJsonIsAnswered) {
  const Server server(small_models(), any_port());
  for (const std::string& body :
       {std::string(1 << 20, '['), std::string(1 << 20, '{'), std::string(1 << 20, '"'),
        "{\"input\":" + std::string(1000, '['), std::string("{\"input\":\"a\""),
        std::string("{\"input\":\"\xed\xa0\x80\"}"), std::string(1 << 19, '\0'), std::string("NaN"),
        std::string("{\"input\":\"a\",}")}) {
    for (const char* path : {"/api/run", "/api/explain", "/api/attend"}) {
      EXPECT_EQ(ask(server.port(), "POST", path, body).status, 400) << body.substr(0, 20);
    }
  }
  expect_served(server);
}

TEST(ServerLimits, AFullQueueSaysComeBackLater) {
  ServerOptions options = any_port();
  options.workers = 1;
  options.queue = 1;
  const Server server(small_models(), options);
  Client running(server.port()), waiting(server.port());
  running.send(request("POST", "/api/attend", long_work()));
  std::this_thread::sleep_for(milliseconds(50));
  waiting.send(request("POST", "/api/run", kTranslateDog));
  std::this_thread::sleep_for(milliseconds(50));
  const Answer answer = ask(server.port(), "POST", "/api/run", kTranslateDog);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  EXPECT_EQ(answer.message(), "1 requests wait already; try again soon");
  const std::string metrics = ask(server.port(), "GET", "/metrics").body;  // needs no worker
  EXPECT_THAT(metrics, HasSubstr("fovea_queue_length 1\n"));
  EXPECT_THAT(metrics, HasSubstr("fovea_running_requests 1\n"));
  EXPECT_EQ(running.answer().status, 200);
  EXPECT_EQ(waiting.answer().status, 200);
  expect_served(server);
}

TEST(ServerLimits, ARequestThatTakesTooLongIsAnswered) {
  ServerOptions options = any_port();
  options.workers = 1;
  options.time = milliseconds(200);
  const Server server(small_models(), options);
  Client running(server.port()), waiting(server.port());
  running.send(request("POST", "/api/attend", long_work()));
  waiting.send(request("POST", "/api/run", kTranslateDog));
  const Answer answer = running.answer();
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(answer.message(),
            "/api/attend: no answer within the 0.2 s a request may take; its work was stopped, ask "
            "for less at a time");
  EXPECT_EQ(waiting.answer().status, 504);  // its turn had not come
  int status = 504;                         // until the work that cannot be stopped is over
  for (int i = 0; i < 100 && status == 504; ++i) {
    status = ask(server.port(), "POST", "/api/run", kTranslateDog).status;
  }
  EXPECT_EQ(status, 200);
}

TEST(ServerLimits, HalfARequestIsCut) {
  const Server server(small_models(), impatient());
  for (const char* half :
       {"", "GET", "GET /api/health HTTP/1.1\r\nHost: loc",
        "POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"}) {
    Client client(server.port());
    client.send(half);
    expect_served(server);
    EXPECT_TRUE(client.ended_within(milliseconds(3000))) << half;
  }
}

TEST(ServerLimits, ASlowClientIsCutHoweverBusyItLooks) {
  const Server server(small_models(), impatient());
  const std::string head = "POST /api/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n";
  for (const std::string& start : {head, head + "\r\n{"}) {  // drips headers; drips its body
    Client client(server.port());
    client.send(start);
    const auto begin = std::chrono::steady_clock::now();
    bool ended = false;
    while (!ended && std::chrono::steady_clock::now() - begin < milliseconds(5000)) {
      client.send("x");
      ended = client.ended_within(milliseconds(20));
    }
    EXPECT_TRUE(ended);
    expect_served(server);
  }
}

TEST(ServerLimits, WhoDoesNotReadItsAnswersIsCut) {
  const Server server(small_models(), impatient());
  Client client(server.port());
  // Ever more requests, and not one answer taken: the buffers fill, and it ends.
  std::atomic<bool> ended = false;
  const std::string many = [] {
    std::string all;
    for (int i = 0; i < 1000; ++i) all += request("GET", "/");
    return all;
  }();
  const auto begin = std::chrono::steady_clock::now();
  std::thread other([&] {
    while (!ended && std::chrono::steady_clock::now() - begin < milliseconds(20'000)) {
      expect_served(server);
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  while (client.send(many)) continue;
  ended = true;
  other.join();
}

TEST(ServerLimits, ThousandsOfIdleConnectionsStopNobody) {
  const Index files = raise_open_files(20'000);
  ServerOptions options = any_port();
  options.connections.most = options.connections.most_of_address = std::min<Index>(4096, files / 4);
  const Server server(small_models(), options);
  const auto count = static_cast<std::size_t>(std::min<Index>(10'000, files / 2));
  std::vector<Client> idle;
  for (std::size_t i = 0; i < count; ++i) {
    idle.emplace_back(server.port());
    if (!idle.back().connected()) break;
    if (i % 1000 == 0) expect_served(server);
  }
  EXPECT_EQ(idle.size(), count);
  EXPECT_TRUE(idle.back().connected());
  expect_served(server);
  EXPECT_TRUE(idle.front().ended_within(milliseconds(2000)));  // made room
  idle.back().send(request("GET", "/api/health"));
  EXPECT_EQ(idle.back().answer().status, 200);
}

TEST(ServerLimits, OneAddressCannotHaveAllConnections) {
  ServerOptions options = any_port();
  options.connections.most_of_address = 3;
  const Server server(small_models(), options);
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server.port());
    clients.back().send(request("POST", "/api/attend", long_work()));
  }
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(ask(server.port(), "GET", "/api/health").status, 0);  // all three are at work
  for (Client& client : clients) EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(ask(server.port(), "GET", "/api/health").status, 200);  // an idle one made room
}

TEST(ServerLimits, ClientsThatLeaveCostNothing) {
  const Server server(small_models(), any_port());
  for (int i = 0; i < 200; ++i) {
    Client client(server.port());
    client.send(request("POST", "/api/run", kTranslateDog));  // and does not wait for the answer
  }
  expect_served(server);
  std::this_thread::sleep_for(milliseconds(300));
  const std::string metrics = ask(server.port(), "GET", "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("fovea_connections 1\n"));
  EXPECT_THAT(metrics, HasSubstr("fovea_running_requests 0\n"));
}

}  // namespace
}  // namespace fovea
