// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "commands.h"
#include "progress_bar.h"
#include "tessera/core/error.h"

namespace {

// What scripts can rely on.
constexpr int exit_internal = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_interrupted = 130;

int fail(int code, const char* message) {
  std::fprintf(stderr, "tessera: %s\n", message);
  return code;
}

std::string no_such_command(const std::string& name) {
  return "there is no command '" + name + "'";
}

/// 'tessera help' and 'tessera help COMMAND', which many programs have: as --help.
void add_help(CLI::App& program) {
  CLI::App* command = program.add_subcommand("help", "Explain a command");
  const auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *names,
                      "which, like 'smooth' or 'lattice mesh'; without: what there is");
  command->callback([=, &program] {
    if (names->empty()) {
      // Not program.help(): that would be the help of the command given, which is this one.
      std::cout << program.get_formatter()->make_help(&program, program.get_name(),
                                                      CLI::AppFormatMode::Normal);
      return;
    }
    const CLI::App* explained = &program;
    std::string parents;
    std::string all;
    for (const std::string& name : *names) {
      parents = all;
      all += (all.empty() ? "" : " ") + name;
      const auto found =
          explained->get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
      if (found.empty()) throw CLI::ValidationError("help", no_such_command(all));
      explained = found.front();
    }
    std::cout << explained->help(program.get_name() + (parents.empty() ? "" : " ") + parents);
  });
}

int fail_usage(const CLI::App& program, const CLI::ParseError& error) {
  std::string message = error.what();
  // CLI11 says of a wrong command only that one is required, and lists unknown words backwards.
  const std::vector<CLI::App*> given = program.get_subcommands();
  if (given.empty() && program.remaining_size() > 0) {
    message = no_such_command(program.remaining().front());
  } else if (given.size() == 1 && given[0]->get_require_subcommand_min() > 0 &&
             given[0]->get_subcommands().empty() && program.remaining_size(true) > 0) {
    message = no_such_command(given[0]->get_name() + " " + program.remaining(true).front());
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    message = "not expected here:";
    for (const std::string& word : program.remaining(true)) message += " " + word;
  }
  std::string help = program.get_name();
  for (const CLI::App* app = &program; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    help += " " + app->get_name();
  }
  return fail(exit_bad_input, (message + "; see '" + help + " --help'").c_str());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tessera;
  cli::stop_on_interrupt();
  CLI::App program("Processes very large meshes in parallel, on CPU cores and NVIDIA GPUs.",
                   "tessera");
  program.set_version_flag("--version", "tessera " TESSERA_VERSION);
  program.require_subcommand(1);
  program.footer(
      "Exit codes: 0 done; 1 the result could not be stored, out of memory, or a failure of the\n"
      "program; 2 bad input or usage; 130 interrupted.\n"
      "'tessera COMMAND --help' and 'tessera help COMMAND' explain a command.");
  cli::SharedFlags flags;
  cli::add_info(program, flags);
  cli::add_convert(program, flags);
  cli::add_repair(program, flags);
  cli::add_generate(program, flags);
  cli::add_subdivide(program, flags);
  cli::add_patch(program, flags);
  cli::add_normals(program, flags);
  cli::add_smooth(program, flags);
  cli::add_remesh(program, flags);
  cli::add_metric(program, flags);
  cli::add_simplify(program, flags);
  cli::add_delaunay(program, flags);
  cli::add_track(program, flags);
  cli::add_compare(program, flags);
  cli::add_curvature(program, flags);
  cli::add_geodesic(program, flags);
  cli::add_render(program, flags);
  cli::add_view(program, flags);
  for (CLI::App* command : program.get_subcommands({})) cli::add_shared_flags(*command, flags);
  cli::add_volume(program, flags);   // whose commands have these flags themselves
  cli::add_lattice(program, flags);  // as here
  add_help(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail_usage(program, error);
  } catch (const cli::Interrupted& interrupted) {
    return fail(exit_interrupted, interrupted.what());
  } catch (const Cancelled&) {
    return fail(exit_interrupted, "interrupted; nothing was written");
  } catch (const InputError& error) {
    return fail(exit_bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_internal, "out of memory");
  } catch (const std::exception& error) {
    return fail(exit_internal, error.what());
  }
  std::cout.flush();
  if (!std::cout) return fail(exit_internal, "standard output cannot be written");
  return 0;
}
