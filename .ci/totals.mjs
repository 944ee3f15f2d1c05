// `totals.mjs REPORT SUITE` prints "passed failed" of a JSON report of vitest, and what failed to the error output.
import { readFileSync } from 'node:fs';

const [file, suite] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));

// A file that cannot be loaded has no tests that could fail.
const broken = report.testResults.filter(
  (each) => each.status === 'failed' && !each.assertionResults.some((test) => test.status === 'failed'),
);
const failed = report.testResults.flatMap((each) => each.assertionResults.filter((test) => test.status === 'failed'));

/** The first lines of a message: what was expected, and where. */
const start = (message) => message.split('\n').slice(0, 12).join('\n    ');
for (const test of failed)
  console.error(`FAILED ${suite}: ${test.fullName}\n    ${start(test.failureMessages.join('\n'))}`);
for (const each of broken) console.error(`FAILED ${suite}: ${each.name}\n    ${start(each.message)}`);

console.log(report.numPassedTests, failed.length + broken.length);
