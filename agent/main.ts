import { processIo } from './cli/process-io.ts';
import { runProgram } from './cli/program.ts';

// The exit code is set, not called for: what stdout still holds is written out before the process ends.
const io = processIo(process);
process.exitCode = await runProgram(process.argv.slice(2), io);
await io.close();
