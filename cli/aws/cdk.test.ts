import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cdkFailure } from './cdk.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'capstan-cdk-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a failure of the CDK', () => {
  it.each([
    {
      log: "Another CLI (PID=4711) is currently synthing to /x. Invoke the CLI in sequence, or use '--output'",
      says: /^it failed, because another deployment from this checkout runs, as process 4711: wait.*kill 4711/,
    },
    { log: 'Other CLIs (PID=4711, 4712) are currently reading from /x', says: /as process 4711/ },
    { log: 'No credentials', says: /^it failed:\n {2}No credentials\nAll of it: .*log$/ },
  ])('that says $log is told as a user can act on it', ({ log, says }) => {
    const logFile = join(directory, 'log');
    writeFileSync(logFile, log);
    expect(cdkFailure('it failed', { code: 1, logFile }).message).toMatch(says);
  });
});
