import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openProgress } from '../tools/progress.mjs';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe('a progress report', () => {
  it('prints a line to a pipe at the start, from time to time, and at the end', () => {
    let written = '';
    const progress = openProgress({ write: (text: string) => (written += text) });
    progress.step('Deploying');
    vi.advanceTimersByTime(10_000);
    progress.detail('3 of 80 resources');
    vi.advanceTimersByTime(55_000);
    progress.line('deleted a table');
    progress.done();
    vi.advanceTimersByTime(90_000);
    expect(written.split('\n')).toEqual([
      'Deploying …',
      '… Deploying: 3 of 80 resources (30s)',
      '… Deploying: 3 of 80 resources (1m0s)',
      'deleted a table',
      'Deploying: done after 1m5s',
      '',
    ]);
  });

  it('redraws in place on a terminal, within its width', () => {
    const written: string[] = [];
    const out = { isTTY: true, columns: 40, write: (text: string) => written.push(text) };
    const progress = openProgress(out);
    progress.step('Deploying');
    progress.detail('x'.repeat(100));
    vi.advanceTimersByTime(2000);
    progress.failed();
    const drawn = written.filter((text) => text.startsWith('Deploying: x'));
    expect(drawn.length).toBeGreaterThanOrEqual(3);
    expect(drawn.every((text) => text.length < 40 && !text.includes('\n'))).toBe(true);
    expect(written.at(-1)).toBe('Deploying: failed after 2s\n');
  });
});
