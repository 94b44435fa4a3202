// Prints `tests: N passed, N failed, N skipped` over the runner's JSON reports; a report that is missing is a failure.
import { existsSync, readFileSync } from 'node:fs';

const paths = process.argv.slice(2);
const sum = { passed: 0, failed: 0, skipped: 0 };
for (const path of paths) {
  if (!existsSync(path)) {
    sum.failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(path, 'utf8'));
  // A file that could not even be loaded holds no test, yet it has failed.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests + broken.length;
  sum.skipped += report.numPendingTests + report.numTodoTests;
}
const { passed, failed, skipped } = sum;
console.log(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);

if (!paths.every((path) => existsSync(path))) process.exitCode = 1;
