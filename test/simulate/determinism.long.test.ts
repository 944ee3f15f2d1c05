import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CampaignResult } from './campaign.ts';
import { simulate } from './simulation.ts';

const run = promisify(execFile);
/** How many runs of each sort: short beginnings and complete runs. */
const parts = [
  { what: 'beginnings', seeds: process.env.CAPSTAN_CHECK ?? '30', minutes: process.env.CAPSTAN_CHECK_MINUTES ?? '3' },
  { what: 'whole runs', seeds: '4', minutes: undefined },
];
const from = process.env.CAPSTAN_SEED ?? String(Date.now() % 1_000_000_000);

describe.each(parts)(`$what of $seeds seeds from ${from}`, ({ seeds, minutes }) => {
  /** Runs them with this number of processes and this time zone. */
  const elsewhere = async (TZ: string, processes: string): Promise<CampaignResult> => {
    const args = ['--json', '--from', from, '--seeds', seeds, '--processes', processes];
    const limits = minutes === undefined ? [] : ['--minutes', minutes];
    const { stdout } = await run(process.execPath, ['test/simulate/main.ts', ...args, ...limits], {
      env: { ...process.env, TZ },
      maxBuffer: 1e8,
    }).catch(
      // A failing run is deterministic too; this test compares hashes only.
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    );
    return JSON.parse(stdout) as CampaignResult;
  };

  it('have the same hash in any process and time zone', async () => {
    const [first, second] = await Promise.all([elsewhere('UTC', '1'), elsewhere('Asia/Kathmandu', '3')]);
    expect(first.runs).toBe(Number(seeds));
    expect(first.events).toBeGreaterThan(100 * first.runs);
    expect(second.hash).toBe(first.hash);
  }, 7_200_000);
});

describe('one run', () => {
  it('is decided by its seed', async () => {
    const [first, second] = [await simulate({ seed: 12000, steps: 0 }), await simulate({ seed: 12000, steps: 0 })];
    expect(first.events).toBeGreaterThan(500);
    expect(second.hash).toBe(first.hash);
    expect(second.story).toEqual(first.story);
    const other = await simulate({ seed: 3, steps: 0 });
    expect(other.hash).not.toBe(first.hash);
  });
});
