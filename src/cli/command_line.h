// The command line as a whole: reads the arguments, runs the command that they name, and says what is wrong with them.
// Called by main alone, which so need not see the library for arguments.
#pragma once

namespace pentimento {

// Returns the exit code. Throws what the standard library throws.
int RunCommandLine(int argc, char** argv);

}  // namespace pentimento
