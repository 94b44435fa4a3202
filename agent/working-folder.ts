// The first import of the program: libraries ask for the working folder while they are loaded, and one that was removed ends
// Node.js with a stack trace. A `reset` with absolute paths, or with none, needs no such folder, so it goes on from / and says
// what relative paths mean now.
try {
  process.cwd();
} catch {
  process.chdir('/');
  process.stderr.write(
    'nodeqos: the folder that it was started in was removed; it goes on in /, where relative paths begin now\n',
  );
}
