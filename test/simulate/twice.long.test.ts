import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CampaignResult } from './campaign.ts';

const run = promisify(execFile);
/** How many seeds; a hundred beginnings of runs take two minutes, whole runs as long as there is patience for. */
const seeds = process.env.CAPSTAN_CHECK ?? '100';
const minutes = process.env.CAPSTAN_CHECK_MINUTES ?? '3';
const from = process.env.CAPSTAN_SEED ?? String(Date.now() % 1_000_000_000);

/** However many share a process, and in whatever order they come to it. */
const elsewhere = async (TZ: string, processes: string): Promise<CampaignResult> => {
  const args = [
    'test/simulate/main.ts',
    '--json',
    '--from',
    from,
    '--seeds',
    seeds,
    '--minutes',
    minutes,
    '--processes',
    processes,
  ];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, TZ }, maxBuffer: 1e8 }).catch(
    // What breaks breaks twice; here only the sameness counts.
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return JSON.parse(stdout) as CampaignResult;
};

describe(`${minutes} virtual minutes of ${seeds} seeds from ${from}`, () => {
  it('are the same, whatever process runs them, and where', async () => {
    const [first, second] = await Promise.all([elsewhere('UTC', '1'), elsewhere('Asia/Kathmandu', '3')]);
    expect(first.runs).toBe(Number(seeds));
    expect(first.events).toBeGreaterThan(100 * first.runs);
    expect(second.hash).toBe(first.hash);
  }, 7_200_000);
});
