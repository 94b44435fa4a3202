// Prints `tests: N passed, N failed, N skipped` from the runner's JSON report; a report that is missing is a failure.
import { existsSync, readFileSync } from 'node:fs';

const path = process.argv[2] ?? 'reports/tests.json';
if (!existsSync(path)) {
  console.log('tests: 0 passed, 1 failed');
  process.exit(1);
}
const report = JSON.parse(readFileSync(path, 'utf8'));
// A file that could not even be loaded holds no test, yet it has failed.
const broken = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
);
const failed = report.numFailedTests + broken.length;
const skipped = report.numPendingTests + report.numTodoTests;
console.log(
  `tests: ${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
);
