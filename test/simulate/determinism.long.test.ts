import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CampaignResult } from './campaign.ts';

const run = promisify(execFile);
/** How many of each: beginnings of runs, and whole ones. */
const parts = [
  { what: 'beginnings', seeds: process.env.CAPSTAN_CHECK ?? '30', minutes: process.env.CAPSTAN_CHECK_MINUTES ?? '3' },
  { what: 'whole runs', seeds: '4', minutes: undefined },
];
const from = process.env.CAPSTAN_SEED ?? String(Date.now() % 1_000_000_000);

describe.each(parts)(`$what of $seeds seeds from ${from}`, ({ seeds, minutes }) => {
  /** However many share a process, and in whatever order they come to it. */
  const elsewhere = async (TZ: string, processes: string): Promise<CampaignResult> => {
    const args = ['--json', '--from', from, '--seeds', seeds, '--processes', processes];
    const limits = minutes === undefined ? [] : ['--minutes', minutes];
    const { stdout } = await run(process.execPath, ['test/simulate/main.ts', ...args, ...limits], {
      env: { ...process.env, TZ },
      maxBuffer: 1e8,
    }).catch(
      // What breaks breaks twice; here only the sameness counts.
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    );
    return JSON.parse(stdout) as CampaignResult;
  };

  it('are the same, whatever process runs them, and where', async () => {
    const [first, second] = await Promise.all([elsewhere('UTC', '1'), elsewhere('Asia/Kathmandu', '3')]);
    expect(first.runs).toBe(Number(seeds));
    expect(first.events).toBeGreaterThan(100 * first.runs);
    expect(second.hash).toBe(first.hash);
  }, 7_200_000);
});
