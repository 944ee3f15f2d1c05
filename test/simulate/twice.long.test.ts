import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CampaignResult } from './campaign.ts';

const run = promisify(execFile);
/** CAPSTAN_CHECK says how many seeds; a hundred take as long as a hundred runs, twice. */
const seeds = process.env.CAPSTAN_CHECK ?? '3';
const from = process.env.CAPSTAN_SEED ?? String(Date.now() % 1_000_000_000);

const elsewhere = async (TZ: string, steps: string[]): Promise<CampaignResult> => {
  const args = ['test/simulate/main.ts', '--json', '--from', from, '--seeds', seeds, ...steps];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, TZ }, maxBuffer: 1e8 }).catch(
    // What breaks breaks twice; here only the sameness counts.
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return JSON.parse(stdout) as CampaignResult;
};

describe(`${seeds} seeds from ${from}`, () => {
  it('decide everything, whatever process runs them, and where', async () => {
    const steps = process.env.CAPSTAN_CHECK ? [] : ['--steps', '0'];
    const first = await elsewhere('UTC', steps);
    const second = await elsewhere('Asia/Kathmandu', steps);
    expect(first.runs).toBe(Number(seeds));
    expect(second.hash).toBe(first.hash);
  }, 7_200_000);
});
