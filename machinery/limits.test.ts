import { describe, expect, it } from 'vitest';
import { createLimits } from './limits.ts';

describe('a rate limit by name', () => {
  const open = (most?: number) => {
    let now = 0;
    const limits = createLimits({ now: () => now }, { rate: 2, burst: 3 }, most);
    const taken = (times: number, name: string) =>
      Array.from({ length: times }, () => limits.take(name)).filter(Boolean).length;
    return { taken, pass: (ms: number) => (now += ms) };
  };

  it('allows a burst, then its steady rate', () => {
    const { taken, pass } = open();
    expect(taken(5, 'a')).toBe(3);
    pass(1000);
    expect(taken(5, 'a')).toBe(2);
    pass(60_000);
    expect(taken(5, 'a')).toBe(3);
  });

  it('counts each name separately', () => {
    const { taken } = open();
    expect(taken(5, 'a')).toBe(3);
    expect(taken(5, 'b')).toBe(3);
  });

  it('remembers a bounded number of names', () => {
    const { taken } = open(2);
    for (const name of ['a', 'b', 'c']) expect(taken(3, name)).toBe(3);
    expect(taken(1, 'c')).toBe(0);
    expect(taken(1, 'a')).toBe(1);
  });
});
