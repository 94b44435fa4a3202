import './working-folder.ts';
import { processIo } from './cli/console/process-io.ts';
import { runProgram } from './cli/program.ts';
import { EXIT } from './exit.ts';

// The exit code is set, not called for: what stdout still holds is written out before the process ends.
const io = processIo(process);
const status = await runProgram(process.argv.slice(2), io);
const { fault, areTaken } = await io.close();
if (fault !== undefined) {
  process.stderr.write(
    `nodeqos: the output could not be written (${fault}); what was asked for ended with ${status}\n`,
  );
}
process.exitCode = fault === undefined ? status : EXIT.ioError;
// A reader that does not read would otherwise keep an agent that has ended.
if (!areTaken) process.exit();
