// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "serve.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <httplib.h>

#include "progress_bar.h"
#include "tessera/core/error.h"

namespace tessera::cli {

void serve_page(std::string_view page, const io::EncodedScene& scene, int port) {
  const std::string body = io::page_with_description(page, scene);
  httplib::Server server;
  server.Get("/", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(body, "text/html; charset=utf-8");
  });
  server.Get("/data/(\\d+)", [&](const httplib::Request& request, httplib::Response& response) {
    const std::string digits = request.matches[1].str();
    std::size_t number = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (parsed.ec != std::errc{} || number >= scene.blocks.size()) {
      response.status = 404;
      return;
    }
    const Array<char>& block = scene.blocks[number];
    response.set_content_provider(
        block.size(), "application/octet-stream",
        [&block](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
          constexpr std::size_t piece = std::size_t{1} << 20;
          return sink.write(block.data() + offset, std::min(length, piece));
        });
  });
  // The library's own options would let two programs share a port.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const char* host = "127.0.0.1";
  const int bound = port == 0                         ? server.bind_to_any_port(host)
                    : server.bind_to_port(host, port) ? port
                                                      : -1;
  if (bound < 0) throw InputError("port " + std::to_string(port) + " is taken; try another --port");
  std::thread listener([&] { server.listen_after_bind(); });
  // Not part of the report, which may be JSON.
  std::fprintf(stderr, "serving on http://%s:%d/ until Ctrl-C\n", host, bound);
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server.stop();
  listener.join();
}

}  // namespace tessera::cli
